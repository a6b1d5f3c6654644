const OPAQUE: ReadonlySet<string> = new Set(['execute', 'edit', 'delete', 'move', 'switch_mode']);

/** What runs commands or changes files without saying which: its name is never a rule. */
export const isOpaqueTool = (toolKind: string): boolean => OPAQUE.has(toolKind.toLowerCase());
