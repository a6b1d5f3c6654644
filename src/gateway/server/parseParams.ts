import { invalidParams } from '../transport/rpcErrors.ts';

interface Schema<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The parameters of a request. Throws the refusal that names the field. */
export function parseParams<T>(method: string, schema: Schema<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'the parameters' : `“${issue.path.map(String).join('.')}”`;
  throw invalidParams(`${method}: ${place} ${issue === undefined ? 'are not as expected' : `— ${issue.message}`}.`);
}
