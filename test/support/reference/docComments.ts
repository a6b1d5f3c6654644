import ts from 'typescript';

/**
 * The doc comments of one file of schemas, by place: `name`, `name.field`, `name|0` for an element of a list. Schemas carry no
 * descriptions at run time, so that no bundle ships them; the comments beside them are read here instead.
 */
export class DocComments {
  readonly #comments = new Map<string, string>();
  /** A place that only names another constant of the same file. */
  readonly #aliases = new Map<string, string>();
  readonly #spreads = new Map<string, string[]>();
  readonly #source: ts.SourceFile;

  constructor(file: string, text: string) {
    this.#source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const statement of this.#source.statements) if (ts.isVariableStatement(statement)) this.#constants(statement);
  }

  /** The comment of a place; that of a field also where its object is spread from, or is named by, another constant. */
  at(place: string): string | undefined {
    const own = this.#comments.get(place);
    if (own !== undefined) return own;
    for (let cut = shorter(place, place.length); cut > 0; cut = shorter(place, cut)) {
      const [head, tail] = [place.slice(0, cut), place.slice(cut)];
      for (const other of [this.#aliases.get(head) ?? [], this.#spreads.get(head) ?? []].flat()) {
        const found = this.at(`${other}${tail}`);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #constants(statement: ts.VariableStatement): void {
    const comment = this.#leading(statement);
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || initializer === undefined) continue;
      if (comment !== undefined) this.#comments.set(name.text, comment);
      this.#walk(initializer, name.text);
    }
  }

  #walk(node: ts.Expression, place: string): void {
    const inner = ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node) || ts.isPropertyAccessExpression(node) ? node.expression : null;
    if (inner !== null) this.#walk(inner, place);
    else if (ts.isIdentifier(node)) this.#alias(place, node.text);
    else if (ts.isObjectLiteralExpression(node)) node.properties.forEach((property) => this.#property(property, place));
    else if (ts.isArrayLiteralExpression(node)) node.elements.forEach((element, index) => this.#element(element, `${place}|${index}`));
    else if (ts.isCallExpression(node)) {
      this.#walk(node.expression, place);
      for (const argument of node.arguments) this.#walk(argument, place);
    }
  }

  #alias(place: string, name: string): void {
    if (name !== 'z' && name !== place && !this.#aliases.has(place)) this.#aliases.set(place, name);
  }

  #element(element: ts.Expression, place: string): void {
    const comment = this.#leading(element);
    if (comment !== undefined) this.#comments.set(place, comment);
    this.#walk(element, place);
  }

  #property(property: ts.ObjectLiteralElementLike, place: string): void {
    if (ts.isSpreadAssignment(property)) {
      if (ts.isIdentifier(property.expression)) this.#spreads.set(place, [...(this.#spreads.get(place) ?? []), property.expression.text]);
      return;
    }
    if (property.name === undefined || ts.isComputedPropertyName(property.name)) return;
    const own = `${place}.${property.name.text}`;
    const comment = this.#leading(property);
    if (comment !== undefined) this.#comments.set(own, comment);
    if (ts.isPropertyAssignment(property)) this.#walk(property.initializer, own);
    else if (ts.isShorthandPropertyAssignment(property)) this.#alias(own, property.name.text);
  }

  #leading(node: ts.Node): string | undefined {
    const text = this.#source.text;
    const last = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
    const raw = last === undefined ? '' : text.slice(last.pos, last.end);
    if (!raw.startsWith('/**')) return undefined;
    return raw.slice(3, -2).split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trim()).filter((line) => line !== '').join(' ');
  }
}

/** Where the next outer place ends; below 1 when there is none. */
const shorter = (place: string, cut: number): number => Math.max(place.lastIndexOf('.', cut - 1), place.lastIndexOf('|', cut - 1));
