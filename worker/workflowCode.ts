import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';

/** Made by `npm run build` beside the compiled worker. */
const PREBUILT = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/** Source while developing, compiled code in a build without its bundle. */
function workflowsPath(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url));
}

let bundled: Promise<WorkflowBundleOption> | undefined;

/** The workflow code of this version: prebuilt where there is one, otherwise bundled once per process (about a second). */
export function workflowCode(): Promise<WorkflowBundleOption> {
  if (existsSync(PREBUILT)) return Promise.resolve({ codePath: PREBUILT });
  bundled ??= bundleWorkflowCode({ workflowsPath: workflowsPath(), logger: new DefaultLogger('WARN') });
  return bundled;
}
