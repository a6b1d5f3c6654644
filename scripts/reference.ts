// Writes docs/protocol.md and docs/protocol.schema.json from the schemas in src/protocol.
//   npm run reference
import { writeReference } from '../test/support/reference/reference.ts';

const written = writeReference();
console.log(written.length === 0 ? 'the reference is up to date' : `written: ${written.join(', ')}`);
