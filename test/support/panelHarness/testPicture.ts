import zlib from 'node:zlib';

/** A PNG of one colour with a darker frame; another number is another colour. */
export function testPicture(seed: number, width = 48, height = 32): Buffer {
  const colour = [60 + ((seed * 83) % 180), 60 + ((seed * 47) % 180), 60 + ((seed * 29) % 180)];
  const rows = Array.from({ length: height }, (_, y) => {
    const pixels = Array.from({ length: width }, (_each, x) => colour.map((part) => (x < 3 || y < 3 || x >= width - 3 || y >= height - 3 ? part >> 1 : part)));
    return Buffer.from([0, ...pixels.flat()]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(zlib.crc32(body));
  return Buffer.concat([length, body, sum]);
}

export const pictureAddress = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
