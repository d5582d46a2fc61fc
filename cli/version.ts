import { readFileSync } from 'node:fs';

/** Version of this package: its package.json lies beside the sources and one folder above the compiled code. */
export function version(): string {
  for (const place of ['../package.json', '../../package.json']) {
    const found = versionIn(new URL(place, import.meta.url));
    if (found !== undefined) return found;
  }
  return 'unknown';
}

function versionIn(url: URL): string | undefined {
  try {
    const { name, version: text } = JSON.parse(readFileSync(url, 'utf8')) as { name?: string; version?: string };
    return name === 'durable-restore' ? text : undefined;
  } catch {
    return undefined;
  }
}
