import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { chooseCases, findCases, type GoldenCase, GoldenCaseError } from '../../../../tools/golden/goldenCase.ts';
import { committedData, dataOf } from '../../../../tools/golden/goldenData.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

let cases: GoldenCase[];

beforeAll(async () => {
  cases = await findCases(committedData.cases);
});

function named(name: string): GoldenCase | undefined {
  return cases.find((one) => one.name === name);
}

describe('findCases', () => {
  it('finds every committed case and the group of those that share a target', () => {
    const [groups, single] = [cases.filter(({ group }) => group !== undefined), cases.filter(({ group }) => !group)];
    expect(single).toHaveLength(19);
    expect(groups).toHaveLength(25);
    expect(new Set(groups.map(({ group }) => group))).toEqual(new Set(['failed-validation']));
    expect(named('failed-validation/node-in-includes')?.setupDirectory).toBe(
      join(committedData.cases, 'failed-validation', 'setup'),
    );
  });

  it.each([
    ['plain', []],
    ['existing-none', ['plain']],
    ['mapped-over-existing', ['plain']],
    // Has a state before its restore, but not one that a restore has left.
    ['sc-mapping', []],
  ])('%s starts from the end of %j', (name, startsFrom) => {
    expect(named(name)?.startsFrom).toEqual(startsFrom);
  });

  it('reads the Restore', () => {
    expect(named('mapped')?.restore).toMatchObject({
      name: 'mapped',
      namespace: 'velero',
      spec: { backupName: 'full', namespaceMapping: { shop: 'shop-copy', data: 'data-copy' } },
    });
  });

  it('refuses a folder without cases', async () => {
    const folder = await temporaryFolder();
    await expect(findCases(folder)).rejects.toThrow(GoldenCaseError);
    await expect(findCases(join(folder, 'none'))).rejects.toThrow(/none: there is no such folder$/);
  });
});

describe('chooseCases', () => {
  it('takes all where no name is given, cases by name and groups as a whole', () => {
    expect(chooseCases(cases, [])).toEqual(cases);
    expect(chooseCases(cases, ['labels', 'plain']).map(({ name }) => name)).toEqual(['labels', 'plain']);
    expect(chooseCases(cases, ['failed-validation'])).toHaveLength(25);
    expect(chooseCases(cases, ['failed-validation/no-backup-name'])).toHaveLength(1);
  });

  it('refuses a name that no case has, and says which there are', () => {
    const choose = (): unknown => chooseCases(cases, ['plain', 'plian']);
    expect(choose).toThrow(GoldenCaseError);
    expect(choose).toThrow(/no case is called plian; there are: .*existing-none, failed-validation, .*plain/);
  });
});

describe('dataOf', () => {
  it('takes the bucket and ports beside a folder of cases, else the committed ones', async () => {
    const folder = await temporaryFolder();
    const directory = join(folder, 'cases');
    await mkdir(directory);
    expect(await dataOf(directory)).toEqual({ ...committedData, cases: directory });
    await mkdir(join(folder, 'bucket', 'backups'), { recursive: true });
    await writeFile(join(folder, 'source-ports.json'), '{}');
    expect(await dataOf(directory)).toEqual({
      cases: directory,
      bucket: join(folder, 'bucket'),
      sourcePorts: join(folder, 'source-ports.json'),
    });
    expect(await dataOf(undefined)).toEqual(committedData);
  });
});
