import { Lexer, type MarkedOptions, type Token, type TokenizerThis, getDefaults } from 'marked';
import { nodesOf } from './domRenderer.ts';
import { linkTarget } from './linkTarget.ts';

// [words](a name with blanks.ts:4), which by the book is no link. A title in quotes makes it one by the book.
const LOOSE_LINK = /^\[((?:\\.|[^[\]\\\n])+)\]\(([^\s()<>"'\n](?:[^()<>"'\n]*[^\s()<>"'\n])?)\)/;

function looseLink(this: TokenizerThis, source: string): Token | undefined {
  const [raw = '', text = '', href = ''] = LOOSE_LINK.exec(source) ?? [];
  if (!/\s/.test(href) || linkTarget(href).kind !== 'file') return undefined;
  return { type: 'link', raw, href, title: null, text, tokens: this.lexer.inlineTokens(text) };
}

/** Agents break their lines where they mean it. */
const OPTIONS: MarkedOptions = {
  ...getDefaults(), breaks: true,
  extensions: { renderers: {}, childTokens: {}, inline: [looseLink], startInline: [(source) => source.indexOf('[')] },
};

// Emphasis within emphasis deeper than anybody writes takes the parser seconds.
const MAX_EMPHASIS = 50;
const RUN = /(?<=(^|[\s\p{P}\p{S}])?)(?:\*+|_+)(?=(\S)?)/gu;

/** How deep the emphasis of a text may be, at most. */
function emphasisDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, opens, closesNot] of text.matchAll(RUN)) {
    depth = opens !== undefined && closesNot !== undefined ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

class CarefulLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (emphasisDepth(source) <= MAX_EMPHASIS) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source, escaped: true });
    return tokens;
  }
}

/** The top-level blocks of a text as it is written, in order; their `raw` joined is the text, but for odd line ends. */
export const blocksOf = (text: string): readonly Token[] => new CarefulLexer(OPTIONS).lex(text);

/** A block as nodes that can do nothing: no scripts, no styles, no navigation, no loading from anywhere. */
export const renderBlock = (block: Token): readonly Node[] => nodesOf(block);
