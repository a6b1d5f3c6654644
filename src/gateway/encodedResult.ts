const encoded = new WeakMap<object, readonly Buffer[]>();

/** The answer to a request together with its JSON, which is sent as it is: what is stored as JSON is neither parsed nor written anew. */
export function withJson<T extends object>(result: T, json: readonly Buffer[]): T {
  encoded.set(result, json);
  return result;
}

export const jsonOf = (result: object): readonly Buffer[] | undefined => encoded.get(result);
