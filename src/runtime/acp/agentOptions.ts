import type { AgentOption } from '../../protocol/session/state.ts';
import { fields, list, text, textOrNull, type Fields } from './wire.ts';

type Choice = AgentOption['choices'][number];

/** How a choice is sent back to the agent. */
export type OptionTarget =
  | { readonly kind: 'mode' }
  | { readonly kind: 'model' }
  | { readonly kind: 'config'; readonly configId: string; readonly isBoolean: boolean };

export interface OfferedOption {
  readonly option: AgentOption;
  readonly target: OptionTarget;
}

/** `modes` of an answer to session/new and its kin. */
export function modeOption(value: unknown): OfferedOption | null {
  const modes = fields(value);
  const choices = choicesOf(modes['availableModes'], 'id');
  if (choices.length === 0) return null;
  return { option: { id: 'mode', name: 'Mode', category: 'mode', value: text(modes['currentModeId'], 500), choices }, target: { kind: 'mode' } };
}

/** `models`, which some agents offer beside or instead of config options. */
export function modelOption(value: unknown): OfferedOption | null {
  const models = fields(value);
  const choices = choicesOf(models['availableModels'], 'modelId');
  if (choices.length === 0) return null;
  return { option: { id: 'model', name: 'Model', category: 'model', value: text(models['currentModelId'], 500), choices }, target: { kind: 'model' } };
}

export function configOptions(value: unknown): OfferedOption[] {
  return list(value).flatMap((entry) => {
    const given = fields(entry);
    const configId = textOrNull(given['id']) ?? '';
    const choices = given['type'] === 'boolean' ? onAndOff : choicesOf(given['options'], 'value');
    if (configId === '' || configId.length > 490 || choices.length === 0) return [];
    const current = given['currentValue'];
    const option: AgentOption = {
      id: `config:${configId}`,
      name: text(given['name'], 500) || configId,
      category: text(given['category'], 100) || 'other',
      value: typeof current === 'boolean' ? String(current) : text(current, 500),
      choices: [...choices],
    };
    return [{ option, target: { kind: 'config', configId, isBoolean: given['type'] === 'boolean' } as const }];
  }).slice(0, 48);
}

const onAndOff: readonly Choice[] = [{ value: 'true', name: 'On' }, { value: 'false', name: 'Off' }];

/** Also of lists that are grouped; the groups are taken apart. */
function choicesOf(value: unknown, idField: string): Choice[] {
  const entries = list(value).flatMap((entry): Fields[] => {
    const inner = fields(entry)['options'];
    return Array.isArray(inner) ? inner.map(fields) : [fields(entry)];
  });
  return entries.flatMap((entry) => {
    const id = textOrNull(entry[idField]) ?? '';
    if (id === '' || id.length > 500) return [];
    const description = text(entry['description'], 2_000);
    return [{ value: id, name: text(entry['name'], 500) || id, ...(description === '' ? {} : { description }) }];
  }).slice(0, 200);
}
