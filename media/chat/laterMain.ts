import { Announcer } from './announcer.ts';
import { readFiles } from './composer/readFiles.ts';
import { shrunk } from './composer/shrunk.ts';
import { Finding } from './find/finding.ts';
import { trimView } from './trimView.ts';
import { QueueEditor } from './view/queueEditor.ts';
import { suggestions } from './view/suggestions.ts';

globalThis.attacheLater = { Announcer, Finding, QueueEditor, readFiles, shrunk, suggestions, trimView };
