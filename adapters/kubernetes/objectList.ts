import {
  getArray,
  getObject,
  getString,
  isObject,
  type Json,
  type JsonObject,
  withoutKeys,
} from '../../domain/json.ts';
import type { ApiResult, ApiSuccess } from '../../domain/kubernetes/api.ts';

/** As Velero's. */
const PAGE_SIZE = 500;
/** How often a list is begun again because its continue token has expired, before it is asked for in one piece. */
const RESTARTS = 1;

/** Asks for one page; without a limit for everything. */
export type PageReader = (page: { readonly limit?: number; readonly continue?: string }) => Promise<ApiResult>;

/**
 * Reads all pages. Where the server has forgotten the list's resource version in the meantime (410) it is read anew, and the
 * second time without pages, so that a slow reader still comes to an end with a consistent list.
 */
export async function readAllPages(readPage: PageReader): Promise<ApiResult> {
  for (let restart = 0; restart <= RESTARTS; restart++) {
    const list = await readPages(readPage);
    if (list !== undefined) return list;
  }
  return withItemTypes(await readPage({}));
}

/** One page as the server gives it, its continue token included. */
export async function readOnePage(readPage: PageReader, limit: number): Promise<ApiResult> {
  return withItemTypes(await readPage({ limit }));
}

/** @returns undefined where the continue token has expired. */
async function readPages(readPage: PageReader): Promise<ApiResult | undefined> {
  const items: Json[] = [];
  let token = '';
  for (;;) {
    const page = await readPage(token === '' ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, continue: token });
    if (!page.ok) return page.status === 410 && token !== '' ? undefined : page;
    // One by one: spreading a list without pages into push would overflow the stack.
    for (const item of getArray(page.object, ['items']) ?? []) items.push(item);
    token = getString(page.object, ['metadata', 'continue']) ?? '';
    if (token === '') return withItemTypes(withItems(page, items));
  }
}

function withItems(lastPage: ApiSuccess, items: Json[]): ApiSuccess {
  const metadata = withoutKeys(getObject(lastPage.object, ['metadata']) ?? {}, ['continue', 'remainingItemCount']);
  return { ...lastPage, object: { ...lastPage.object, metadata, items } };
}

/** Items of built-in kinds come without apiVersion and kind; like client-go's unstructured lists they get those of the list. */
function withItemTypes(list: ApiResult): ApiResult {
  const kind = list.ok ? getString(list.object, ['kind']) : undefined;
  if (!list.ok || kind?.endsWith('List') !== true) return list;
  const type: JsonObject = { apiVersion: list.object['apiVersion'] ?? '', kind: kind.slice(0, -'List'.length) };
  const items = (getArray(list.object, ['items']) ?? []).map((item) =>
    isObject(item) && item['kind'] === undefined ? { ...type, ...item } : item,
  );
  return { ...list, object: { ...list.object, items } };
}
