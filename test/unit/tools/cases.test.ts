import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { CasesError, coverageOf, namedBelow, namedIn, parseCases } from '../../../tools/cases/cases.ts';

// Made up of parts, so that this file does not itself name them.
const [ONE, TWO, THREE, HOOK, EXTRA] = ['R-' + '001', 'R-' + '002', 'R-' + '003', 'H-' + '010', 'HX-' + '01'] as const;

describe('namedIn', () => {
  it.each([
    [`it('${ONE} ${TWO}: does', …)`, [ONE, TWO]],
    [`  ['${HOOK}', 1],\n  ['${EXTRA}', 2],`, [HOOK, EXTRA]],
    [`it('${ONE}…${THREE}: does', …)`, [ONE, TWO, THREE]],
    [`// for ${ONE}\n/** ${TWO} */\n * ${THREE}\nconst a = 1;`, []],
    [`const a = 'X${ONE}';\nconst b = '${ONE}4';`, []],
  ])('%j', (text, expected) => {
    expect(namedIn(text)).toEqual(expected);
  });
});

describe('parseCases', () => {
  it('reads groups of ids and titles', () => {
    const list = parseCases(`a:\n  ${ONE}: first\nb:\n  ${EXTRA}: second\nleftOut:\n  ${ONE}: not here\n`, 'list');
    expect(list.cases).toEqual([
      { id: ONE, group: 'a', title: 'first' },
      { id: EXTRA, group: 'b', title: 'second' },
    ]);
    expect([...list.leftOut]).toEqual([[ONE, 'not here']]);
  });

  it.each([
    ['- a', 'list: expected groups of cases'],
    ['a: text', 'list: a: expected ids with titles'],
    ['a:\n  R-1: text', 'list: a: R-1: expected an id such as ' + ONE + ' or ' + EXTRA],
    [`leftOut:\n  ${ONE}: not here`, `list: leftOut: ${ONE} is no case of the list`],
    [`a:\n  ${ONE}: 5`, `list: ${ONE}: expected a title`],
  ])('refuses %j', (text, message) => {
    expect(() => parseCases(text, 'list')).toThrow(new CasesError(message));
  });

  it('reads the committed list, whose ids have no gaps', async () => {
    const text = await readFile(new URL('../../cases.yaml', import.meta.url), 'utf8');
    const ids = parseCases(text, 'cases.yaml').cases.map(({ id }) => id);
    const numbered = (prefix: string, digits: number, count: number): string[] =>
      Array.from({ length: count }, (_value, index) => prefix + String(index + 1).padStart(digits, '0'));
    expect(ids).toEqual([...numbered('R-', 3, 462), ...numbered('H-', 3, 138), ...numbered('HX-', 2, 10)]);
  });
});

describe('coverageOf', () => {
  it('finds cases without a test, and ids in tests without a case', () => {
    const cases = [ONE, TWO, HOOK].map((id) => ({ id, group: 'a', title: 'does' }));
    const leftOut = new Map([
      [TWO, 'tested all the same'],
      [HOOK, 'without a test'],
    ]);
    expect(coverageOf({ cases, leftOut }, new Set([TWO, THREE]))).toEqual({
      missing: [cases[0]],
      unknown: [THREE],
      stale: [TWO],
    });
  });
});

describe('the tests of this project', () => {
  it('name every case that is not left out, and no other', async () => {
    const folder = new URL('../../', import.meta.url);
    const list = parseCases(await readFile(new URL('cases.yaml', folder), 'utf8'), 'cases.yaml');
    const { missing, unknown, stale } = coverageOf(list, await namedBelow(fileURLToPath(folder)));
    expect([missing.map(({ id }) => id), unknown, stale]).toEqual([[], [], []]);
  });
});
