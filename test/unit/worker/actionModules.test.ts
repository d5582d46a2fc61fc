import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadActionModules } from '../../../worker/actionModules.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-modules-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

let modules = 0;

async function moduleOf(text: string): Promise<string> {
  const path = join(directory, `actions-${String(modules++)}.mjs`);
  await writeFile(path, text);
  return path;
}

function actionNamed(name: string): string {
  return `{ name: '${name}', appliesTo: {}, execute: ({ item }) => ({ item, additionalItems: [], skipRestore: false }) }`;
}

describe('modules of actions', () => {
  it('are loaded in the order given', async () => {
    const first = await moduleOf(
      `export const actions = [${actionNamed('example.com/b')}, ${actionNamed('example.com/a')}];`,
    );
    const second = await moduleOf(`export const actions = [${actionNamed('example.com/c')}];`);
    const actions = await loadActionModules([first, second]);
    expect(actions.map(({ name }) => name)).toEqual(['example.com/b', 'example.com/a', 'example.com/c']);
  });

  it.each([
    ['that is broken', 'export const actions = [', /cannot be loaded: /],
    ['that throws', 'throw new Error("no licence");', /cannot be loaded: no licence/],
    ['without actions', 'export const action = {};', /expected an export "actions" with a list of actions/],
    ['with something else', 'export const actions = ["text"];', /actions\[0\]: expected an object/],
    ['with an action without a name', 'export const actions = [{}];', /actions\[0\]: name: expected a text/],
    [
      'with a name that is none',
      `export const actions = [${actionNamed('nope')}];`,
      /actions\[0\]: name "nope": expected <DNS subdomain/,
    ],
    [
      'with an action that does nothing',
      "export const actions = [{ name: 'a.b/c', appliesTo: {} }];",
      /execute of a\.b\/c: expected a function/,
    ],
    [
      'with a method that is none',
      "export const actions = [{ name: 'a.b/c', appliesTo: {}, execute() {}, progress: 7 }];",
      /progress of a\.b\/c: expected a function/,
    ],
    [
      'without a selector',
      "export const actions = [{ name: 'a.b/c', execute() {} }];",
      /appliesTo of a\.b\/c: expected an object/,
    ],
    [
      'with a selector that is none',
      "export const actions = [{ name: 'a.b/c', execute() {}, appliesTo: { includedResources: 'pods' } }];",
      /appliesTo\.includedResources of a\.b\/c: expected a list of texts/,
    ],
    [
      'with an action twice',
      `export const actions = [${actionNamed('a.b/c')}, ${actionNamed('a.b/c')}];`,
      /action a\.b\/c is there twice/,
    ],
  ])('one %s is an error that names it', async (_title, text, message) => {
    const path = await moduleOf(text);
    const attempt = loadActionModules([path]);
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toThrow(`action module ${path}: `);
  });

  it('one that is not there is an error that names it', async () => {
    await expect(loadActionModules(['./no-such-module.js'])).rejects.toThrow(
      /^action module \.\/no-such-module\.js: cannot be loaded/,
    );
  });
});
