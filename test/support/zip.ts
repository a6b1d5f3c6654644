import fs from 'node:fs';

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

/** The names of the files in a zip archive, from its central directory. */
export function zipEntries(file: string): string[] {
  const data = fs.readFileSync(file);
  let end = data.length - 22;
  while (end >= 0 && data.readUInt32LE(end) !== endOfDirectory) { end--; }
  if (end < 0) { throw new Error(`${file} is not a zip archive`); }
  const names: string[] = [];
  let offset = data.readUInt32LE(end + 16);
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    if (data.readUInt32LE(offset) !== directoryEntry) { throw new Error(`${file} has a broken directory`); }
    const nameLength = data.readUInt16LE(offset + 28);
    names.push(data.toString('utf8', offset + 46, offset + 46 + nameLength));
    offset += 46 + nameLength + data.readUInt16LE(offset + 30) + data.readUInt16LE(offset + 32);
  }
  return names;
}
