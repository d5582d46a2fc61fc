import type { Activities } from '../domain/contract.ts';
import { areAdditionalItemsReady } from './areAdditionalItemsReady.ts';
import { awaitCustomResourceDefinitions } from './awaitCustomResourceDefinitions.ts';
import { checkOperations } from './checkOperations.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { describeItems } from './describeItems.ts';
import { ensureNamespace } from './ensureNamespace.ts';
import { finalize } from './finalize.ts';
import { plan } from './plan.ts';
import { readNeeds } from './readNeeds.ts';
import { recordOutcomes } from './recordOutcomes.ts';
import { restoreItem } from './restoreItem.ts';
import { restoreItems } from './restoreItems.ts';
import { Sessions } from './session.ts';
import { validate } from './validate.ts';
import { settleVolumes } from './volumes/settleVolumes.ts';

export interface WorkerActivities {
  readonly activities: Activities;
  /** To be called when no activity runs any more: gives back what they kept open between them. */
  close(): void;
}

/** Builds the activities of a worker; the only way to have them. */
export function createActivities(dependencies: ActivityDependencies): WorkerActivities {
  const sessions = new Sessions(dependencies);
  const activities: Activities = {
    validate: validate(dependencies, sessions),
    plan: plan(dependencies, sessions),
    ensureNamespace: ensureNamespace(dependencies, sessions),
    awaitCustomResourceDefinitions: awaitCustomResourceDefinitions(dependencies, sessions),
    describeItems: describeItems(sessions),
    restoreItem: restoreItem(dependencies, sessions),
    restoreItems: restoreItems(dependencies, sessions),
    readNeeds: readNeeds(sessions),
    areAdditionalItemsReady: areAdditionalItemsReady(sessions),
    checkOperations: checkOperations(dependencies, sessions),
    recordOutcomes: recordOutcomes(sessions),
    settleVolumes: settleVolumes(dependencies, sessions),
    finalize: finalize(dependencies, sessions),
  };
  return {
    activities,
    close: () => {
      sessions.close();
    },
  };
}
