import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let cached: string | undefined;

/** `durable-restore/<version>`: how the API server's audit log names us. */
export function userAgent(): string {
  cached ??= `durable-restore/${packageVersion(dirname(fileURLToPath(import.meta.url)))}`;
  return cached;
}

/** Compiled files lie one folder deeper than their sources, so the package file is looked for upwards. */
function packageVersion(directory: string): string {
  const file = join(directory, 'package.json');
  if (existsSync(file)) {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown };
    if (name === 'durable-restore' && typeof version === 'string') return version;
  }
  const parent = dirname(directory);
  return parent === directory ? 'unknown' : packageVersion(parent);
}
