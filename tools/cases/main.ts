import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { CasesError, coverageOf, namedBelow, parseCases, type SpecCase } from './cases.ts';

const help = `
Examples:
  npm run cases                 every case that no test names
  npm run cases -- R-43 R-44    of those whose id begins so
  npm run cases -- --hooks      those of hooks (H-…, HX-…)

A test names a case by its id in its title or in a row of its table; R-133…R-143 names all of these. Cases that cannot
have one are in test/cases.yaml under leftOut, each with the reason.
Exit codes: 0 each case is named or left out, 1 some are not, 2 no such case or a wrong list.`;

const command = new Command('cases')
  .description('Tells which cases of test/cases.yaml no test names.')
  .argument('[prefix...]', 'only cases whose id begins with one of these')
  .option('--hooks', 'only the cases of hooks')
  .addHelpText('after', help)
  .parse();

const tests = fileURLToPath(new URL('../../test/', import.meta.url));

try {
  const { cases, leftOut } = parseCases(await readFile(`${tests}cases.yaml`, 'utf8'), 'test/cases.yaml');
  const prefixes = command.opts<{ hooks?: boolean }>().hooks ? ['H-', 'HX-', ...command.args] : command.args;
  const asked = cases.filter(({ id }) => prefixes.length === 0 || prefixes.some((prefix) => id.startsWith(prefix)));
  if (asked.length === 0) throw new CasesError(`no case begins with ${prefixes.join(' or ')}`);
  const named = await namedBelow(tests);
  const { missing, unknown, stale } = coverageOf({ cases, leftOut }, named);
  const isAsked = ({ id }: SpecCase): boolean => asked.some((one) => one.id === id);
  const missingOnes = missing.filter(isAsked);
  let group: string | undefined;
  for (const one of missingOnes) {
    if (one.group !== group) console.log(one.group);
    group = one.group;
    console.log(`  ${one.id}  ${one.title}`);
  }
  for (const id of unknown) console.log(`${id} is named by a test and is no case of test/cases.yaml`);
  for (const id of stale) console.log(`${id} is left out in test/cases.yaml, and a test names it`);
  const left = asked.filter(({ id }) => leftOut.has(id)).length;
  const tested = asked.length - left - missingOnes.length;
  console.log(
    `${asked.length} cases: ${tested} named by tests, ${left} left out with a reason, ${missingOnes.length} missing`,
  );
  process.exitCode = missingOnes.length + unknown.length + stale.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof CasesError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
