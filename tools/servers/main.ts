import { Command, Option } from 'commander';
import { cachedPath } from './cache.ts';
import { ensureLocated } from './ensure.ts';
import { locateProgram } from './locate.ts';
import { isProgramName, type Program, programs } from './programs.ts';
import { spell } from './progress.ts';
import { ServerMissing } from './serverMissing.ts';
import { table } from './table.ts';

interface Flags {
  readonly tier?: '1' | '2' | 'all';
  readonly list?: boolean;
}

const help = `
Examples:
  npm run servers                      what the demo and \`npm test\` need
  npm run servers -- --tier all        everything, also for \`npm run test:full\`
  npm run servers -- kubectl velero    these two
  npm run servers -- --tier all --list where each program is; builds and fetches nothing

See docs/servers.md for the cache and the environment variables.`;

async function main(): Promise<void> {
  const command = new Command('servers')
    .description('Builds or fetches the server programs that tests and the demo use, into a cache outside the clone.')
    .argument('[name...]', `programs: ${programs.map(({ name }) => name).join(', ')}`)
    .addOption(new Option('--tier <tier>', 'programs of that tier (default: 1)').choices(['1', '2', 'all']))
    .option('--list', 'only say where each program is')
    .addHelpText('after', help)
    .parse();
  const flags = command.opts<Flags>();
  const unknown = command.args.find((word) => !isProgramName(word));
  if (unknown !== undefined) command.error(`error: no program is called ${unknown}; see --help for the names`);
  const chosen = choose(flags, command.args);
  console.log(await (flags.list ? listed(chosen) : ensured(chosen)));
}

function choose(flags: Flags, names: readonly string[]): Program[] {
  const tier = flags.tier ?? (names.length > 0 ? 'none' : '1');
  return programs.filter((program) => names.includes(program.name) || tier === 'all' || String(program.tier) === tier);
}

async function ensured(chosen: readonly Program[]): Promise<string> {
  const found = await ensureLocated(chosen.map(({ name }) => name));
  const rows = found.map(({ name, origin, path, elapsedMs }) => {
    const program = chosen.find((one) => one.name === name);
    return [name, versionOf(program, origin), origin, spell(elapsedMs), path];
  });
  return table(['PROGRAM', 'VERSION', 'FROM', 'TIME', 'PATH'], rows);
}

async function listed(chosen: readonly Program[]): Promise<string> {
  const rows: string[][] = [];
  for (const program of chosen) {
    const located = await locateProgram(program);
    const path = located?.path ?? `(would be ${await cachedPath(program)})`;
    const origin = located?.origin ?? 'missing';
    rows.push([program.name, versionOf(program, origin), String(program.tier), origin, path]);
  }
  return table(['PROGRAM', 'VERSION', 'TIER', 'FROM', 'PATH'], rows);
}

/** What a person brought along has the version it has. */
function versionOf(program: Program | undefined, origin: string): string {
  const theirs = ['PATH', 'KUBEBUILDER_ASSETS', 'TEMPORAL_CLI_PATH'].includes(origin);
  return theirs || program === undefined ? 'own' : program.version;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ServerMissing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
