import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isObject, type Json, type JsonObject } from '../../domain/json.ts';
import { parseJson, renderJson } from '../../domain/jsonText.ts';

/** Text of a file, unpacked where it is gzip. */
export async function readText(path: string): Promise<string> {
  const content = await readFile(path);
  const isGzip = content[0] === 0x1f && content[1] === 0x8b;
  return (isGzip ? await promisify(gunzip)(content) : content).toString('utf8');
}

/** Reads a JSON file, compressed or not; integers keep every digit. */
export async function readJson(path: string): Promise<Json> {
  return parseJson(await readText(path));
}

/** Reads a dump: a list of objects. */
export async function readObjects(path: string): Promise<JsonObject[]> {
  const value = await readJson(path);
  if (!Array.isArray(value)) throw new Error(`${path}: expected a list of objects`);
  return value.filter(isObject);
}

/** Writes a JSON file for its owner only (it may hold Secrets), compressed where its name ends in `.gz`. */
export async function writeJson(path: string, value: Json): Promise<void> {
  const text = renderJson(value);
  await writeFile(path, path.endsWith('.gz') ? await promisify(gzip)(text) : text, { mode: 0o600 });
}
