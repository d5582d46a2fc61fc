/** Everything a worker registers as workflows; a function's name is its workflow type. */

export { awaitOperations } from './awaitOperations.ts';
export { hookBatch } from './hookBatch.ts';
export { podHooks } from './podHooks.ts';
export { restore } from './restore.ts';
export { restoreAdditionalItems } from './restoreAdditionalItems.ts';
export { restoreShard } from './restoreShard.ts';
export { waitForAdditionalItems } from './waitForAdditionalItems.ts';
