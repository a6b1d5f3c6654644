import fs from 'node:fs';
import path from 'node:path';
import { repository } from './repository.ts';

/** Named facts of one case, as the columns of the table name them. */
export type NamedFacts = Readonly<Record<string, string>>;

interface Rule {
  readonly line: number;
  readonly conditions: Readonly<Record<string, (value: string) => boolean>>;
  readonly decision: string;
  used: number;
}

interface Section {
  readonly columns: readonly string[];
  readonly rules: readonly Rule[];
}

const FILE = 'test/fixtures/admission-table.md';

const cellsOf = (line: string): string[] => line.split('|').slice(1, -1).map((cell) => cell.trim());

function condition(cell: string): (value: string) => boolean {
  if (cell === '*') return () => true;
  const negated = cell.startsWith('not ');
  const names = (negated ? cell.slice(4) : cell).split('/').map((name) => name.trim());
  return (value) => names.includes(value) !== negated;
}

/** The written table, read row by row: the first row of a section that fits decides. Knows nothing of the code that it judges. */
export class AdmissionTable {
  readonly #sections = new Map<string, Section>();
  readonly #ownCodes: ReadonlyMap<string, string>;

  constructor() {
    const lines = fs.readFileSync(path.join(repository, FILE), 'utf8').split('\n');
    const starts = lines.flatMap((line, at) => (line.startsWith('## ') ? [at] : []));
    this.#ownCodes = new Map(tableRows(lines.slice(0, starts[0])).slice(1).map(({ cells: [goal = '', code = ''] }) => [goal, code]));
    for (const [index, start] of starts.entries()) {
      const section = parseSection(lines, start, starts[index + 1] ?? lines.length);
      for (const operation of lines[start]!.slice(3).split(',')) this.#sections.set(operation.trim(), section);
    }
  }

  get operations(): string[] {
    return [...this.#sections.keys()].sort();
  }

  /** The columns that an operation is decided by. */
  columns(operation: string): readonly string[] {
    return this.#section(operation).columns;
  }

  decide(operation: string, facts: NamedFacts): string {
    const rule = this.#rule(operation, facts);
    rule.used += 1;
    return rule.decision === 'own code' ? (this.#ownCodes.get(facts['goal'] ?? '') ?? missing(operation, 'own code')) : rule.decision;
  }

  /** Lines of the table that decided nothing: they would be wrong, or hidden by others. */
  unused(): string[] {
    return [...new Set(this.#sections.values())].flatMap(({ rules }) => rules.filter(({ used }) => used === 0).map(({ line, decision }) => `line ${line}: ${decision}`));
  }

  /** The row that decides, by the name that `refusals` gives it. */
  rowOf(operation: string, facts: NamedFacts): string {
    return nameOf(operation, this.#rule(operation, facts));
  }

  /** Every row that refuses, once for each operation that it is about. */
  refusals(): string[] {
    return this.operations.flatMap((operation) => this.#section(operation).rules.filter(({ decision }) => !decision.startsWith('allow')).map((rule) => nameOf(operation, rule)));
  }

  #rule(operation: string, facts: NamedFacts): Rule {
    const rule = this.#section(operation).rules.find(({ conditions }) => Object.entries(conditions).every(([column, fits]) => fits(facts[column] ?? missing(operation, column))));
    if (rule === undefined) throw new Error(`${FILE} says nothing about ${operation} with ${JSON.stringify(facts)}`);
    return rule;
  }

  #section(operation: string): Section {
    return this.#sections.get(operation) ?? missing(operation, 'section');
  }
}

const nameOf = (operation: string, { line, decision }: Rule): string => `${operation}, line ${line}: ${decision}`;

function missing(operation: string, what: string): never {
  throw new Error(`${FILE}: ${operation} has no ${what}`);
}

function tableRows(lines: readonly string[], offset = 0): { line: number; cells: string[] }[] {
  return lines.map((text, at) => ({ text, line: offset + at + 1 })).filter(({ text }) => text.startsWith('|') && !text.startsWith('|---'))
    .map(({ text, line }) => ({ line, cells: cellsOf(text) }));
}

function parseSection(lines: readonly string[], start: number, end: number): Section {
  const [head, ...rows] = tableRows(lines.slice(start, end), start);
  const columns = head?.cells.slice(0, -1) ?? [];
  const rules = rows.map(({ line, cells }): Rule => ({
    line, used: 0, decision: cells.at(-1) ?? '',
    conditions: Object.fromEntries(columns.map((column, at) => [column, condition(cells[at] ?? '')])),
  }));
  return { columns, rules };
}
