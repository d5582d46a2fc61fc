import { describe, expect, it } from '@jest/globals';
import { type PageReader, readAllPages, readOnePage } from '../../../../adapters/kubernetes/objectList.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import type { ApiFailure, ApiResult, ApiSuccess } from '../../../../domain/kubernetes/api.ts';

type Page = Parameters<PageReader>[0];

function page(items: JsonObject[], token?: string): ApiSuccess {
  const metadata: JsonObject = {
    resourceVersion: '7',
    ...(token === undefined ? {} : { continue: token, remainingItemCount: 1 }),
  };
  return { ok: true, status: 200, date: undefined, object: { apiVersion: 'v1', kind: 'PodList', metadata, items } };
}

function failure(status: number, reason: string): ApiFailure {
  return { ok: false, status, reason, message: reason, causes: [], retryAfterMs: undefined, date: undefined };
}

/** Gives the answers in turn and writes down what was asked. */
function reader(answers: readonly ApiResult[]): { read: PageReader; asked: Page[] } {
  const asked: Page[] = [];
  return { asked, read: (wanted) => Promise.resolve(answers[asked.push(wanted) - 1]!) };
}

const pod = (name: string): JsonObject => ({ metadata: { name } });
const typedPod = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });

describe('readAllPages', () => {
  it('joins the pages into one list without a continue token, and gives items their type', async () => {
    const { read, asked } = reader([page([pod('a'), pod('b')], 't1'), page([pod('c')], 't2'), page([pod('d')])]);

    const list = await readAllPages(read);

    expect(list).toMatchObject({
      ok: true,
      object: { kind: 'PodList', metadata: { resourceVersion: '7' }, items: ['a', 'b', 'c', 'd'].map(typedPod) },
    });
    expect(list.ok && list.object['metadata']).toEqual({ resourceVersion: '7' });
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, continue: 't1' }, { limit: 500, continue: 't2' }]);
  });

  it('leaves the type of custom resources as it is', async () => {
    const custom = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' } };
    const { read } = reader([page([custom])]);

    expect(await readAllPages(read)).toMatchObject({ object: { items: [custom] } });
  });

  it('begins again where the continue token has expired', async () => {
    const { read, asked } = reader([
      page([pod('a')], 't1'),
      failure(410, 'Expired'),
      page([pod('a')], 't2'),
      page([pod('b')]),
    ]);

    expect(await readAllPages(read)).toMatchObject({ object: { items: [typedPod('a'), typedPod('b')] } });
    expect(asked).toHaveLength(4);
  });

  it('asks for everything in one piece where it expires again', async () => {
    const expired = [page([pod('a')], 't1'), failure(410, 'Expired')];
    const { read, asked } = reader([...expired, ...expired, page([pod('a'), pod('b')])]);

    expect(await readAllPages(read)).toMatchObject({ object: { items: [typedPod('a'), typedPod('b')] } });
    expect(asked.at(-1)).toEqual({});
  });

  it.each([
    ['the first page', [failure(404, 'NotFound')], 404],
    ['a later page', [page([pod('a')], 't1'), failure(429, 'TooManyRequests')], 429],
    ['the first page with 410', [failure(410, 'Gone')], 410],
  ])('gives the failure of %s', async (_what, answers, status) => {
    const { read, asked } = reader(answers);

    expect(await readAllPages(read)).toMatchObject({ ok: false, status });
    expect(asked).toHaveLength(answers.length);
  });

  it('takes a list without items and one with more of them than fit onto the stack', async () => {
    const many = Array.from({ length: 300_000 }, (_value, index) => pod(String(index)));
    const empty = { ...page([]), object: { kind: 'PodList', apiVersion: 'v1', items: null } };

    expect(await readAllPages(reader([empty]).read)).toMatchObject({ object: { items: [] } });
    const list = await readAllPages(reader([page(many)]).read);
    expect(list.ok && (list.object['items'] as unknown[]).length).toBe(300_000);
  });
});

describe('readOnePage', () => {
  it('gives one page with its continue token', async () => {
    const { read, asked } = reader([page([pod('a')], 't1')]);

    expect(await readOnePage(read, 1)).toMatchObject({
      object: { metadata: { continue: 't1' }, items: [typedPod('a')] },
    });
    expect(asked).toEqual([{ limit: 1 }]);
  });
});
