// Prints the CPU, in ms, that it takes to load a script of an extension, and to activate it when told to, in a fresh Node that has loaded what an
// extension host has; VS Code itself, and what else is named, is a stand-in.
//   node loadTime.cjs SCRIPT activate|load [module to be stood in for]...
'use strict';
const Module = require('node:module');

// Of Node, what a host with no extension of its own was seen to have (process.moduleLoadList).
for (const name of ['assert', 'async_hooks', 'child_process', 'cluster', 'crypto', 'dgram', 'dns', 'events', 'fs/promises', 'http', 'http2', 'https', 'net', 'os', 'perf_hooks', 'querystring', 'readline', 'readline/promises', 'stream', 'stream/promises', 'string_decoder', 'timers', 'tls', 'tty', 'url', 'util', 'worker_threads', 'zlib']) require(`node:${name}`);

const [script, what, ...others] = process.argv.slice(2);

/** Anything that may be asked of it, called, made or walked through. */
function standIn() {
  const members = new Map();
  const all = new Proxy(class { dispose() {} }, {
    // What a bundle makes of a module inherits from it.
    getPrototypeOf: () => all,
    get(target, name) {
      if (name === 'prototype') return target.prototype;
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      if (name === 'then' || typeof name === 'symbol') return undefined;
      if (!members.has(name)) members.set(name, standIn());
      return members.get(name);
    },
    set: () => true,
    apply: () => standIn(),
    construct: (target, _args, made) => Reflect.construct(target, [], made === undefined ? target : made),
  });
  return all;
}

const load = Module._load;
Module._load = function (name, ...rest) {
  return name === 'vscode' || others.some((other) => name === other || name.startsWith(`${other}/`)) ? standIn() : load.call(this, name, ...rest);
};

const before = process.cpuUsage();
const loaded = require(script);
if (what === 'activate') {
  const context = standIn();
  loaded.activate(context);
}
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1000), () => process.exit(0));
