/** Markdown of every kind an agent writes. */
export const richMarkdown = `## How it works

\`roundPrice\` calls [\`Math.round\`](https://developer.mozilla.org/round), see [src/cart.ts](src/cart.ts:9):

\`\`\`ts
export function roundPrice(value: number): number {
  return Math.round(value); // halves go up, which is a surprise to people who add up many prices
}
\`\`\`

1. halves go **up**
2. negative halves go *towards zero*
   - \`-2.5\` becomes \`-2\`

- [x] read the code
- [ ] change it

| input | today | half to even |
|---|---:|---:|
| 2.5 | 3 | 2 |
| 3.5 | 4 | 4 |

> Banker’s rounding keeps sums unbiased.

---
That is all.`;

/** Code with every kind of word that is coloured. */
export const codeMarkdown = `\`\`\`ts
// A comment, then a type and a call.
export class Cart<T extends Item> implements Basket {
  #total = 2.5; readonly name: string = \`cart \${this.id}\`;
  add(item: T): boolean { return this.items.push(item) > 0 && /^x+$/.test(item.name) || true; }
}
\`\`\`

\`\`\`python
@cached
def price(value: float = 2.5) -> int:  # half to even
    return round(value) if value is not None else print("none")
\`\`\`

\`\`\`sh
cd src && for f in *.ts; do echo "$f" | grep -c 12; done # all of them
\`\`\`

\`\`\`json
{ "name": "demo", "private": true, "version": 1, "none": null }
\`\`\`

\`\`\`diff
@@ -1,2 +1,2 @@
-const price = 10;
+const price = 12;
\`\`\`

\`\`\`css
.card > a:hover { color: var(--link); margin: 4px; }
\`\`\`

\`\`\`html
<p class="note" data-x="1">5 &lt; 6</p><!-- done -->
\`\`\`

\`\`\`
no language at all
\`\`\``;

/** Blocks that a later line can still change: loose lists, code inside lists, quotes over several paragraphs. */
export const looseMarkdown = `- first

- second

  goes on

1. one

   \`\`\`
   code

   more
   \`\`\`

2. two

> quoted
>
> further

| a | b |
|---|---|
| 1 | 2 |

heading below
=====

end`;

/** What must come out harmless. */
export const hostile = [
  'עברית with English and `code.call(1)` באמצע השורה.',
  '<img src=x onerror="parent.postMessage(1)"><script>alert(1)</script> stays as it was written.',
  '[run](command:workbench.action.terminal.new) [js](javascript:alert(1)) [data](data:text/html,x) are dead; [web](https://example.org) and [file](file:///home/me/demo/src/cart.ts#L3) are not.',
  '![tracker](https://example.org/pixel.png)',
  'user\u202Etxt.exe and `rm\u202E-rf`',
].join('\n\n');
