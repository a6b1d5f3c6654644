import type * as z from './schema.ts';
import { approvalMethods } from './approval/commands.ts';
import { gatewayMethods } from './gateway/commands.ts';
import { goalMethods } from './goal/commands.ts';
import { grantMethods } from './grant/commands.ts';
import { hostMethods } from './host/commands.ts';
import { itemMethods } from './item/commands.ts';
import { sessionMethods } from './session/commands.ts';
import { subscriptionMethods } from './subscription/commands.ts';
import { turnMethods } from './turn/commands.ts';
import { workspaceMethods } from './workspace/commands.ts';

/** Every request of protocol version 1. kind: a query writes nothing; a command changes state; host is a command of the bound executor. */
export const methods = {
  ...gatewayMethods,
  ...workspaceMethods,
  ...goalMethods,
  ...sessionMethods,
  ...turnMethods,
  ...hostMethods,
  ...approvalMethods,
  ...grantMethods,
  ...itemMethods,
  ...subscriptionMethods,
} as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type ParamsOf<M extends MethodName> = z.infer<Methods[M]['params']>;
export type ResultOf<M extends MethodName> = z.infer<Methods[M]['result']>;

export const isMethod = (name: string): name is MethodName => Object.hasOwn(methods, name);
