// VS Code loads this as its tests module. It runs the real one with console and process output going, line for line and
// synchronously, to a file that the process outside reads, and leaves a verdict there: VS Code reports an extension host
// that crashed as success, and mixes forwarded console lines with the workbench's own.
const fs = require('node:fs');
const { Console } = require('node:console');
const { Writable } = require('node:stream');

function fileStream(file) {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, encoding, done) { fs.appendFileSync(file, chunk); done(); },
  });
  return Object.assign(stream, { isTTY: false, columns: 120, fd: -1 });
}

function redirectOutput(file) {
  const streams = { stdout: fileStream(file), stderr: fileStream(file) };
  for (const name of Object.keys(streams)) {
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => streams[name] });
  }
  // VS Code has fixed the methods of the console it wrapped, so the object itself is replaced.
  globalThis.console = new Console(streams);
}

exports.run = async () => {
  const { VSCODE_HOST_OUT: out, VSCODE_HOST_TESTS: tests } = process.env;
  redirectOutput(out);
  try {
    const { run } = require(tests);
    if (typeof run !== 'function') { throw new Error(`${tests} does not export run()`); }
    await run();
    fs.writeFileSync(`${out}.verdict`, '0');
  } catch (error) {
    console.error(error?.stack ?? error);
    fs.writeFileSync(`${out}.verdict`, '1');
    throw error;
  }
};
