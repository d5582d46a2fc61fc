import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getString } from '../../domain/json.ts';
import { RESTORE_NAME_LABEL } from '../../domain/restore/labels.ts';
import type { Restore } from '../../domain/restore/restore.ts';
import { parseRestoreManifest } from '../../domain/restore/restoreManifest.ts';
import { isThere } from './goldenData.ts';
import { readObjects } from './objectFile.ts';

/** One restore specification with what the real Velero made of it. */
export interface GoldenCase {
  /** Folder name; `group/folder` for cases that share a target. */
  readonly name: string;
  readonly directory: string;
  /** Cases of a group have one target together, with the group's setup. */
  readonly group: string | undefined;
  /** Manifests and `changes.sh` that are brought to the target first; may be missing. */
  readonly setupDirectory: string;
  readonly restore: Omit<Restore, 'uid'>;
  /** Names of the restores whose end state the target has before the restore; empty: an empty target. */
  readonly startsFrom: readonly string[];
}

export class GoldenCaseError extends Error {
  readonly type = 'GoldenCase';
}

const VELERO_NAMESPACE = 'velero';

/**
 * Every case below a folder, by name: folders with a `restore.yaml`, and such folders one level deeper as a group.
 * @throws GoldenCaseError where there is none; RestoreManifestError
 */
export async function findCases(casesDirectory: string): Promise<GoldenCase[]> {
  if (!(await isThere(casesDirectory))) throw new GoldenCaseError(`${casesDirectory}: there is no such folder`);
  const cases: GoldenCase[] = [];
  for (const directory of await foldersOf(casesDirectory)) {
    if (await hasRestore(directory)) cases.push(await readCase(directory, undefined));
    else {
      for (const member of await foldersOf(directory)) {
        if (await hasRestore(member)) cases.push(await readCase(member, directory));
      }
    }
  }
  if (cases.length > 0) return cases;
  throw new GoldenCaseError(`${casesDirectory}: expected folders with a restore.yaml, found none`);
}

/**
 * The cases that are asked for: all, or those with these names (a group's name means all of it).
 * @throws GoldenCaseError naming a name that no case has
 */
export function chooseCases(all: readonly GoldenCase[], names: readonly string[]): GoldenCase[] {
  const isAsked = ({ name, group }: GoldenCase, asked: string): boolean => name === asked || group === asked;
  const unknown = names.find((asked) => !all.some((one) => isAsked(one, asked)));
  if (unknown !== undefined) {
    const known = [...new Set(all.map(({ name, group }) => group ?? name))].join(', ');
    throw new GoldenCaseError(`no case is called ${unknown}; there are: ${known}`);
  }
  return names.length === 0 ? [...all] : all.filter((one) => names.some((asked) => isAsked(one, asked)));
}

async function foldersOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(directory, name))
    .sort();
}

function hasRestore(directory: string): Promise<boolean> {
  return isThere(join(directory, 'restore.yaml'));
}

async function readCase(directory: string, groupDirectory: string | undefined): Promise<GoldenCase> {
  const { name, namespace, labels, annotations, spec } = parseRestoreManifest(
    await readFile(join(directory, 'restore.yaml'), 'utf8'),
  );
  const group = groupDirectory === undefined ? undefined : basename(groupDirectory);
  return {
    name: group === undefined ? basename(directory) : `${group}/${basename(directory)}`,
    directory,
    group,
    setupDirectory: join(groupDirectory ?? directory, 'setup'),
    restore: { name, namespace: namespace ?? VELERO_NAMESPACE, labels, annotations, spec },
    startsFrom: await earlierRestores(join(directory, 'before.json.gz')),
  };
}

/** Restores that had left their label on objects of the target when the case began. */
async function earlierRestores(beforeFile: string): Promise<string[]> {
  if (!(await isThere(beforeFile))) return [];
  const names = (await readObjects(beforeFile)).map((object) =>
    getString(object, ['metadata', 'labels', RESTORE_NAME_LABEL]),
  );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
