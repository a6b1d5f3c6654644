import type { Plugin } from 'esbuild';

/** zod without its writer of JSON schemas, a fifth of it that nothing here uses and that its classes hold on to. */
export const zodParser: Plugin = {
  name: 'zodParser',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:json-schema-processors|to-json-schema)\.js$/ }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};
