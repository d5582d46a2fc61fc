import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { cacheDirectory } from '../servers/cache.ts';
import { ServerStartFailed } from '../servers/process.ts';
import { logToStderr } from '../servers/progress.ts';
import { ServerMissing } from '../servers/serverMissing.ts';
import { table } from '../servers/table.ts';
import { clusterDown, clusterHealth, clusterUp } from './cluster.ts';

interface Flags {
  readonly directory: string;
  readonly allControllers?: boolean;
  readonly deleteData?: boolean;
}

const help = `
Examples:
  npm run cluster -- up                     start it (the first time that builds the servers, some 10 minutes)
  export KUBECONFIG=$(npm run -s cluster -- kubeconfig)
  npm run cluster -- up --all-controllers   with Deployments, Jobs … coming to life (there are no nodes, so no pods run)
  npm run cluster -- status
  npm run cluster -- down                   stop it; the next up has the same objects
  npm run cluster -- down --delete-data     stop it and forget everything

Exit codes of status: 0 all servers are healthy, 1 one is not, 3 there is no cluster. See docs/servers.md.`;

const program = new Command('cluster')
  .description('A local Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager) on 127.0.0.1.')
  .addHelpText('after', help);

function withDirectory(command: Command): Command {
  const standard = join(cacheDirectory(), 'cluster');
  return command.option('--directory <dir>', 'where its data, keys, logs and state are', standard);
}

withDirectory(program.command('up'))
  .description('start the cluster and leave it running; does nothing when it is healthy')
  .option('--all-controllers', 'run every controller that needs no node, not only those that a restore needs')
  .action(async (flags: Flags) => {
    const { state, started } = await clusterUp(resolve(flags.directory), flags.allControllers, logToStderr);
    console.log(`cluster ${started ? 'started' : 'runs'}: ${state.url}, controllers: ${state.controllers}`);
    console.log(`kubeconfig: ${state.kubeconfig}`);
    console.log(`export KUBECONFIG='${state.kubeconfig.replaceAll("'", `'\\''`)}'`);
  });

withDirectory(program.command('down'))
  .description('stop the cluster')
  .option('--delete-data', 'also delete its objects, keys, kubeconfig and logs')
  .action(async (flags: Flags) => {
    const stopped = await clusterDown(resolve(flags.directory), flags.deleteData ?? false);
    console.log(stopped.length === 0 ? 'nothing was running' : `stopped: ${stopped.join(', ')}`);
  });

withDirectory(program.command('status'))
  .description('say how each server is')
  .action(async (flags: Flags) => {
    const servers = await clusterHealth(resolve(flags.directory));
    if (servers.every(({ health }) => health === 'not running')) {
      console.log('no cluster is running');
      process.exitCode = 3;
      return;
    }
    const rows = servers.map(({ name, pid, health, healthUrl }) => [name, String(pid), health, healthUrl]);
    console.log(table(['SERVER', 'PID', 'STATUS', 'ASKED AT'], rows));
    if (servers.some(({ health }) => health !== 'healthy')) process.exitCode = 1;
  });

withDirectory(program.command('kubeconfig'))
  .description('print the path of the kubeconfig')
  .action((flags: Flags) => {
    console.log(join(resolve(flags.directory), 'kubeconfig'));
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ServerMissing) && !(error instanceof ServerStartFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
