import type { AbortSignalLike } from '../base/abort.ts';
import type { ParamsOf, ResultOf } from '../protocol/methods.ts';
import type { CoreMethod, Principal } from './core.ts';

/** Who asks, and whether they still wait. */
export interface Call {
  readonly principal: Principal;
  readonly signal: AbortSignalLike;
}

/** A part of the table of methods: one function for each. */
export type Handlers<M extends CoreMethod> = {
  readonly [K in M]: (call: Call, params: ParamsOf<K>) => ResultOf<K> | Promise<ResultOf<K>>;
};
