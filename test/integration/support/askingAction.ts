import {
  getString,
  getStringMap,
  type JsonObject,
  type ResourceIdentifier,
  type RestoreItemAction,
  RestoreItemActionExecuteOutput,
  setIn,
} from '../../../domain/actions/index.ts';

/** What objects of the tests ask their action for, as annotations. */
export interface Asking {
  /** `resource.group namespace name` of each; the namespace is `-` for cluster-scoped items. */
  readonly needs?: readonly string[];
  /** A Go duration; `0` is the restore's own. */
  readonly wait?: string;
  readonly operation?: string;
  readonly skip?: boolean;
  readonly fail?: string;
}

const PREFIX = 'test.example.com/';

/** The object with what it asks for. */
export function asking(object: JsonObject, { needs, wait, operation, skip, fail }: Asking): JsonObject {
  const told = { needs: needs?.join(','), wait, operation, skip: skip === true ? 'yes' : undefined, fail };
  return Object.entries(told).reduce(
    (all, [key, value]) =>
      value === undefined ? all : setIn(all, ['metadata', 'annotations', `${PREFIX}${key}`], value),
    object,
  );
}

function identifier(text: string): ResourceIdentifier {
  const [groupResource = '', namespace = '', name = ''] = text.split(' ');
  const [resource = '', ...group] = groupResource.split('.');
  return { resource, group: group.join('.'), namespace: namespace === '-' ? '' : namespace, name };
}

/** An action that does what objects ask for, and writes down how often it was asked what. */
export class AskingAction {
  /** Names of items in the order in which they were executed. */
  readonly executed: string[] = [];
  /** Names of the items of each readiness check. */
  readonly checks: string[][] = [];
  readonly cancelled: string[] = [];
  /** How often the action was asked about an operation. */
  readonly asked = new Map<string, number>();
  /** Readiness by the name of the first additional item; true by default. */
  readiness: (names: readonly string[], asked: number) => boolean = () => true;

  readonly action: RestoreItemAction = {
    name: 'test.example.com/asking',
    appliesTo: {},
    execute: ({ item }) => {
      const told = getStringMap(item, ['metadata', 'annotations']);
      this.executed.push(getString(item, ['metadata', 'name']) ?? '');
      const fail = told[`${PREFIX}fail`];
      if (fail !== undefined) throw new Error(fail);
      const needs = told[`${PREFIX}needs`];
      let output = new RestoreItemActionExecuteOutput(item);
      if (needs !== undefined) output = output.withAdditionalItems(needs.split(',').map(identifier));
      const { [`${PREFIX}wait`]: wait, [`${PREFIX}operation`]: operation } = told;
      if (wait !== undefined) output = output.withItemsWait(wait);
      if (operation !== undefined) output = output.withOperationId(operation);
      return told[`${PREFIX}skip`] === undefined ? output : output.withoutRestore();
    },
    progress: (operationId) => {
      const asked = (this.asked.get(operationId) ?? 0) + 1;
      this.asked.set(operationId, asked);
      const started = '2026-01-01T00:00:00.000Z';
      if (operationId.startsWith('fails')) return { completed: asked > 1, error: 'the operation went wrong' };
      if (operationId.startsWith('forever')) return { completed: false, nCompleted: asked, nTotal: 1_000, started };
      if (operationId.startsWith('unknown')) throw new Error(`operation ID ${operationId} is invalid`);
      return {
        completed: asked > 1,
        nCompleted: asked,
        nTotal: 2,
        operationUnits: 'steps',
        description: 'going on',
        started,
      };
    },
    cancel: (operationId) => {
      this.cancelled.push(operationId);
    },
    areAdditionalItemsReady: (items) => {
      const names = items.map(({ name }) => name);
      this.checks.push(names);
      const asked = this.checks.filter((one) => one.join() === names.join()).length;
      return this.readiness(names, asked);
    },
  };
}
