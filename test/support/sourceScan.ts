import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { repository } from './repository.ts';

export interface ScannedFunction {
  readonly name: string;
  readonly lines: number;
}

/** What the architecture test wants to know of one source file. */
export interface ScannedFile {
  /** Relative to the repository, with forward slashes. */
  readonly file: string;
  readonly lines: number;
  /** Specifiers of static, re-exporting and dynamic imports and of `require`. */
  readonly imports: readonly string[];
  readonly dynamicImports: number;
  readonly functions: readonly ScannedFunction[];
  readonly anyCount: number;
}

/** Every TypeScript file below the given folders of the repository. */
export function scan(folders: readonly string[]): ScannedFile[] {
  return folders
    .flatMap((folder) => fs.globSync(`${folder}/**/*.{ts,tsx}`, { cwd: repository, exclude: ['test/fixtures/**'] }))
    .map((file) => scanFile(file.replaceAll('\\', '/')));
}

function scanFile(file: string): ScannedFile {
  const text = fs.readFileSync(path.join(repository, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const found = { imports: [] as string[], dynamicImports: 0, functions: [] as ScannedFunction[], anyCount: 0 };
  const visit = (node: ts.Node): void => {
    if (isDynamicImport(node)) { found.dynamicImports++; }
    if (node.kind === ts.SyntaxKind.AnyKeyword) { found.anyCount++; }
    const specifier = importedBy(node);
    if (specifier !== undefined) { found.imports.push(specifier); }
    const scanned = functionAt(node, source);
    if (scanned !== undefined) { found.functions.push(scanned); }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { file, lines: text.trimEnd().split('\n').length, ...found };
}

function importedBy(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) { return literal(node.moduleSpecifier); }
  if (ts.isImportTypeNode(node)) { return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : undefined; }
  if (!ts.isCallExpression(node)) { return undefined; }
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  return isRequire || isDynamicImport(node) ? literal(node.arguments[0]) : undefined;
}

function isDynamicImport(node: ts.Node): boolean {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}

function literal(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function functionAt(node: ts.Node, source: ts.SourceFile): ScannedFunction | undefined {
  if (!ts.isFunctionLike(node) || !('body' in node)) { return undefined; }
  const { body } = node;
  if (body === undefined || !ts.isBlock(body as ts.Node)) { return undefined; }
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return { name: named?.getText(source) ?? '(anonymous)', lines: line(node.end) - line(node.getStart(source)) + 1 };
}

/** The repository file a relative specifier means. */
export function resolveImport(from: string, specifier: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
}

/** One import cycle among the files, or undefined. */
export function findCycle(files: readonly ScannedFile[]): readonly string[] | undefined {
  const edges = new Map(files.map(({ file, imports }) => [file, imports.filter(isRelative).map((specifier) => resolveImport(file, specifier))]));
  const done = new Set<string>();
  const follow = (file: string, trail: readonly string[]): readonly string[] | undefined => {
    const seen = trail.indexOf(file);
    if (seen >= 0) { return [...trail.slice(seen), file]; }
    if (done.has(file)) { return undefined; }
    for (const next of edges.get(file) ?? []) {
      const cycle = follow(next, [...trail, file]);
      if (cycle !== undefined) { return cycle; }
    }
    done.add(file);
    return undefined;
  };
  for (const file of edges.keys()) {
    const cycle = follow(file, []);
    if (cycle !== undefined) { return cycle; }
  }
  return undefined;
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}

/** The value that nine out of ten are not above. */
export function p90(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.9) - 1)] ?? 0;
}
