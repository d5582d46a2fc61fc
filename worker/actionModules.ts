import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RestoreItemAction } from '../domain/actions/action.ts';
import { checkActionName } from '../domain/actions/actionName.ts';
import { messageOf } from '../domain/messageOf.ts';

/** A module of a user's own actions that cannot be used; the message names the module and the action. */
export class ActionModuleError extends Error {
  readonly type = 'ActionModule';
  constructor(module: string, what: string, options?: ErrorOptions) {
    super(`action module ${module}: ${what}`, options);
    this.name = 'ActionModuleError';
  }
}

const LATER_METHODS = ['areAdditionalItemsReady', 'progress', 'cancel'] as const;
const SELECTOR_LISTS = ['includedNamespaces', 'excludedNamespaces', 'includedResources', 'excludedResources'] as const;

/**
 * Loads users' own restore item actions: each module exports a list `actions`. They run behind the built-in ones, in the order given.
 * @param modules paths, relative ones from the working directory, or names of packages.
 * @throws ActionModuleError
 */
export async function loadActionModules(modules: readonly string[]): Promise<RestoreItemAction[]> {
  const actions: RestoreItemAction[] = [];
  for (const module of modules) {
    for (const action of await actionsOf(module)) {
      if (actions.some(({ name }) => name === action.name))
        throw new ActionModuleError(module, `action ${action.name} is there twice`);
      actions.push(action);
    }
  }
  return actions;
}

async function actionsOf(module: string): Promise<readonly RestoreItemAction[]> {
  const isPath = module.startsWith('.') || isAbsolute(module);
  let loaded: { readonly actions?: unknown };
  try {
    loaded = (await import(isPath ? pathToFileURL(resolve(module)).href : module)) as typeof loaded;
  } catch (error) {
    throw new ActionModuleError(module, `cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const { actions } = loaded;
  if (!Array.isArray(actions))
    throw new ActionModuleError(module, 'expected an export "actions" with a list of actions');
  return actions.map((action: unknown, position) => checkAction(module, position, action));
}

function checkAction(module: string, position: number, action: unknown): RestoreItemAction {
  const refuse = (what: string): ActionModuleError => new ActionModuleError(module, `actions[${position}]: ${what}`);
  if (typeof action !== 'object' || action === null) throw refuse('expected an object');
  const given = action as Partial<Record<keyof RestoreItemAction, unknown>>;
  if (typeof given.name !== 'string') throw refuse('name: expected a text');
  try {
    checkActionName(given.name);
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (typeof given.execute !== 'function') throw refuse(`execute of ${given.name}: expected a function`);
  for (const method of LATER_METHODS) {
    if (given[method] !== undefined && typeof given[method] !== 'function')
      throw refuse(`${method} of ${given.name}: expected a function`);
  }
  const { appliesTo } = given;
  if (typeof appliesTo !== 'object' || appliesTo === null)
    throw refuse(`appliesTo of ${given.name}: expected an object; an empty one means all items`);
  const selector = appliesTo as Readonly<Record<string, unknown>>;
  for (const list of SELECTOR_LISTS) {
    const value = selector[list];
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
    if (value !== undefined && !isList) throw refuse(`appliesTo.${list} of ${given.name}: expected a list of texts`);
  }
  return action as RestoreItemAction;
}
