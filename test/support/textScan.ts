import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { repository } from './repository.ts';

/** A text found in a source file. */
export interface FoundText {
  readonly text: string;
  /** `file:line`, relative to the repository. */
  readonly at: string;
}

/** What the test of the languages wants to know of the sources. */
export interface ScannedTexts {
  /** The English texts that are translated: first arguments of `t()`. */
  readonly keys: FoundText[];
  /** Calls whose English text is computed: nobody could translate it. */
  readonly computed: FoundText[];
  /** Sentences of layers that speak English, as keys: `{0}` for what is computed. Translated by `told()` where they are shown. */
  readonly sentences: FoundText[];
  /** What looks like a text for people and is not translated. */
  readonly bare: FoundText[];
  /** Shared wording that is translated before the language is chosen: when its module is loaded. */
  readonly early: FoundText[];
}

/** Where a text goes to people, whatever it looks like. */
const SHOWN = new Set(['title', 'label', 'detail', 'description', 'placeHolder', 'placeholder', 'prompt', 'tooltip', 'aria-label', 'ariaLabel', 'alt', 'name', 'hint', 'outcome', 'next', 'message', 'validationMessage', 'summary', 'words', 'body', 'openLabel', 'saveLabel', 'buttonLabel', 'textContent', 'value']);
/** Calls whose words are for the log or for programmers. */
const QUIET = /^(?:log|debug|trace|info|warn|error|appendLine|append|write|Error|TypeError|RangeError|require|executeCommand|registerCommand|querySelector|querySelectorAll|closest|matches|RegExp|setAttribute|getConfiguration|addEventListener|toggle|toggleAttribute|startsWith|endsWith|includes|split|join|replaceAll|replace|make|setContext|createElement)$/;

export function scanTexts(folders: readonly string[]): ScannedTexts {
  const files = folders.flatMap((folder) => fs.globSync(folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`, { cwd: repository }));
  const found: ScannedTexts = { keys: [], computed: [], sentences: [], bare: [], early: [] };
  for (const file of files) new FileScan(file.replaceAll('\\', '/'), found).visit();
  return found;
}

class FileScan {
  readonly #file: string;
  readonly #found: ScannedTexts;
  readonly #source: ts.SourceFile;

  constructor(file: string, found: ScannedTexts) {
    this.#file = file;
    this.#found = found;
    this.#source = ts.createSourceFile(file, fs.readFileSync(path.join(repository, file), 'utf8'), ts.ScriptTarget.ESNext, true);
  }

  /** `quiet`: within a call whose words are for the log or for programmers. */
  visit(node: ts.Node = this.#source, quiet = false): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (isTranslation(node)) {
      this.#translation(node);
      for (const param of node.arguments.slice(1)) this.visit(param, quiet);
      return;
    }
    if (!quiet) this.#literal(node);
    const isQuiet = (ts.isCallExpression(node) || ts.isNewExpression(node)) && QUIET.test(calleeName(node));
    ts.forEachChild(node, (child) => { this.visit(child, quiet || (isQuiet && child !== node.expression)); });
  }

  #translation(node: ts.CallExpression): void {
    const [english] = node.arguments;
    const texts = english === undefined ? null : alternatives(english);
    if (texts === null) this.#add('computed', node.getText(this.#source), node);
    for (const text of texts ?? []) this.#add('keys', text, node);
    if (ts.isIdentifier(node.expression) && !this.#file.startsWith('media/') && isAtTop(node)) this.#add('early', node.getText(this.#source), node);
  }

  #literal(node: ts.Node): void {
    const text = asKey(node);
    if (text === null) return;
    if (isSentence(text)) this.#add('sentences', text, node);
    if (isForPeople(text, node) && !isRefusal(node)) this.#add('bare', text, node);
  }

  #add(kind: keyof ScannedTexts, text: string, node: ts.Node): void {
    const line = this.#source.getLineAndCharacterOfPosition(node.getStart(this.#source)).line + 1;
    this.#found[kind].push({ text, at: `${this.#file}:${line}` });
  }
}

function isTranslation(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text === 't';
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 't' && /(?:^|\.)l10n$/.test(expression.expression.getText());
}

function alternatives(node: ts.Expression): string[] | null {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return alternatives(node.expression);
  if (!ts.isConditionalExpression(node)) return null;
  const [one, other] = [alternatives(node.whenTrue), alternatives(node.whenFalse)];
  return one === null || other === null ? null : [...one, ...other];
}

/** A literal as the key that its translation would have. */
export function asKey(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`).join('');
}

/** Several words from a capital, a quotation or a name to a full stop. */
const isSentence = (text: string): boolean => /^(?:\p{Lu}\p{Ll}|\p{Lu} |[“{])[^\n]*[.…}]$/u.test(text) && !/^\{\d+\}[^\s\p{L}’]/u.test(text) && (text.replaceAll(/\{\d+\}/g, ' ').match(/\p{L}{2,}/gu) ?? []).length >= 3;

function isAtTop(node: ts.Node): boolean {
  for (let place = node.parent; place !== undefined; place = place.parent) if (ts.isFunctionLike(place)) return false;
  return true;
}

/** The words of an error are English wherever it is made; it may be told to an agent, or stored. */
function isRefusal(node: ts.Node): boolean {
  for (let place = node.parent; place !== undefined; place = place.parent) {
    if (ts.isNewExpression(place)) return calleeName(place) === 'AttacheError';
    if (ts.isFunctionLike(place) && ts.isBlock(place.parent)) return false;
  }
  return false;
}

/** What is not the same in every language: a name, an icon and a placeholder are. */
const worded = (text: string): string => text.replaceAll(/\{\d+\}|\$\([\w-]+\)|Attaché/g, '');

/** Several words, also with a sign between them, or one with a capital; what is put in may be the rest: `Close “{0}”?` */
function isWorded(whole: string): boolean {
  const text = worded(whole);
  return /^[“(]?\p{Lu}\p{Ll}+ [“(]?\{\d+\}/u.test(whole)
    || /(?:^|\s)\p{L}{2,} [·•↔→←–—] \p{L}{2,}/u.test(text)
    || /^[^<]*\p{L}{2,}[\p{L}’”,:;.…]* [“({]?[\p{L}{]/u.test(text) || /^\p{Lu}\p{Ll}+(?: \p{L}+)*[.…]?$/u.test(text);
}

function isForPeople(whole: string, node: ts.Node): boolean {
  if (/^(?:attache|vscode|workbench|codicon)[.\-\w]*$/.test(whole)) return false;
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) || ts.isLiteralTypeNode(parent) || ts.isCaseClause(parent)) return false;
  if (ts.isBinaryExpression(parent) && /^[=!]==?$/.test(parent.operatorToken.getText())) return false;
  const property = propertyOf(node);
  if (property !== null && /^(?:class|className|data-|id$|role$|kind$|type$|key$|command$|state$|icon$|tone$)/.test(property)) return false;
  if (property !== null && SHOWN.has(property)) return /\p{Ll}{2,}/u.test(worded(whole));
  return isWorded(whole);
}

/** The property that a literal is given to, through conditions and brackets. */
function propertyOf(node: ts.Node): string | null {
  const { parent } = node;
  if (parent === undefined) return null;
  if (ts.isPropertyAssignment(parent)) return nameOf(parent);
  if (ts.isTemplateSpan(parent)) return propertyOf(parent.parent);
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent) || (ts.isBinaryExpression(parent) && parent.right === node)) return propertyOf(parent);
  return null;
}

const nameOf = ({ name }: ts.PropertyAssignment): string => (ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : '');

function calleeName(node: ts.CallExpression | ts.NewExpression): string {
  const { expression } = node;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}
