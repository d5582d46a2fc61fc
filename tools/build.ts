/** `npm run build`: compiles the product into dist/ and bundles its workflow code, so that a worker starts at once. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist`;

rmSync(dist, { recursive: true, force: true });
execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
copyFileSync(`${root}package.json`, `${dist}/package.json`);
chmodSync(`${dist}/cli/main.js`, 0o755);

const { code } = await bundleWorkflowCode({
  workflowsPath: `${dist}/workflows/index.js`,
  logger: new DefaultLogger('WARN'),
});
writeFileSync(`${dist}/workflow-bundle.js`, code);
process.stdout.write('built dist/ with its workflow bundle\n');
