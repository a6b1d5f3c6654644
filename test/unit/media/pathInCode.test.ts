import assert from 'node:assert/strict';
import { pathInCode } from '../../../media/chat/markdown/pathInCode.ts';

const found = (text: string): string | null => {
  const target = pathInCode(text);
  return target === null ? null : [target.path, ...Object.values(target.place)].join(' ');
};

describe('a path in inline code', () => {
  it('is known by its folder, its ending or its line', () => {
    const files: Readonly<Record<string, string>> = {
      'src/cart.ts': 'src/cart.ts', 'src/cart.ts:12': 'src/cart.ts 12', 'src/cart.ts:12:3': 'src/cart.ts 12 3', 'src/cart.ts#L3-L5': 'src/cart.ts 3 5', './a.b': './a.b', '../über/ñandú.md': '../über/ñandú.md',
      'cart.ts': 'cart.ts', 'README.md': 'README.md', 'Makefile': 'Makefile', 'Makefile:3': 'Makefile 3', '.gitignore': '.gitignore', '.env.local': '.env.local', 'tool.exe:4': 'tool.exe 4', 'app/(group)/[id]/page.tsx': 'app/(group)/[id]/page.tsx',
      'C:\\work\\a.ts:4': 'C:\\work\\a.ts 4', '/home/me/a.py': '/home/me/a.py', 'a/50%20.txt': 'a/50%20.txt', '日本/語.ts': '日本/語.ts',
    };
    assert.deepEqual(Object.fromEntries(Object.keys(files).map((text) => [text, found(text)])), files);
  });

  it('is none where it may be code, a command, a type or an address', () => {
    const others = ['Math.round', 'console.log', 'foo.bar()', 'process.env.HOME', 'a.b.c', 'and/or', 'n/a', 'application/json', '1.2/3.4', '2.5', 'npm test', 'npm run src/a.ts', 'Array<string>', 'x => y.ts', '*.ts', 'src/**/*.ts', '.ts', '--config=a.json',
      'https://example.org/a.ts', 'command:x.ts', 'file://server/a.ts', '//server/a.ts', 'javascript:a.ts', '"a.ts"', '$HOME/a.ts', 'Makefile2', 'main', 'feature/new-cart', '/help', 'key:12', 'a:b', 'x'.repeat(301) + '.ts', '', 'a.ts\nb.ts'];
    assert.deepEqual(others.filter((text) => found(text) !== null), []);
  });
});
