import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { repository } from '../repository.ts';

/** Kinds that protocol version 1 names and nothing raises yet, each with the reason. */
export const reservedErrorKinds: ReadonlySet<string> = new Set([]);

const ANY_KIND = new RegExp(`'(?:${Object.keys(ERRORS).join('|')})'`);

/** Every kind of error that a file of `src` names other than to compare with it: thrown, returned as a refusal, or recorded as a cause. */
export function raisedErrorKinds(): ReadonlySet<string> {
  const raised = new Set<string>();
  for (const file of fs.globSync('src/**/*.ts', { cwd: repository })) {
    // The protocol only names things.
    if (file.replaceAll('\\', '/').startsWith('src/protocol/')) continue;
    const text = fs.readFileSync(path.join(repository, file), 'utf8');
    if (ANY_KIND.test(text)) collect(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), raised);
  }
  return raised;
}

function collect(node: ts.Node, raised: Set<string>): void {
  if (ts.isStringLiteral(node) && Object.hasOwn(ERRORS, node.text) && !isCompared(node)) raised.add(node.text);
  ts.forEachChild(node, (child) => collect(child, raised));
}

/** Reading a kind is not raising it. */
function isCompared(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (ts.isCaseClause(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return true;
  if (ts.isArrayLiteralExpression(parent)) return isLookedUpIn(parent);
  return ts.isBinaryExpression(parent) && [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(parent.operatorToken.kind);
}

/** `new Set([…])` and `[…].includes(kind)`. */
function isLookedUpIn({ parent }: ts.ArrayLiteralExpression): boolean {
  return (ts.isNewExpression(parent) && parent.expression.getText() === 'Set') || (ts.isPropertyAccessExpression(parent) && parent.name.text === 'includes');
}
