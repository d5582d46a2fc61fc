import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serversFolder } from '../../../tools/servers/cache.ts';
import { type GoSource, isProgramName, programs } from '../../../tools/servers/programs.ts';

const goPrograms = programs.flatMap(({ name, version, source }) =>
  source.from === 'go' ? [{ name, version, source }] : [],
);

async function goMod(source: GoSource): Promise<string> {
  return readFile(join(serversFolder, source.module, 'go.mod'), 'utf8');
}

describe('the table of programs', () => {
  it('names each once, first tier first', () => {
    const names = programs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const tiers = programs.map(({ tier }) => tier);
    expect(tiers).toEqual([...tiers].sort());
  });

  it.each(goPrograms)('says of $name the version and package that its go.mod pins', async ({ version, source }) => {
    const text = await goMod(source);
    const lines = text.split('\n').map((line) => line.trim().replace(/ \/\/ indirect$/, ''));
    expect(lines).toContain(`${source.versionedBy} ${version}`);
    if (source.ownSources !== undefined) {
      expect(lines).toContain(`module ${source.package}`);
      return;
    }
    expect(lines.map((line) => line.replace(/^tool /, ''))).toContain(source.package);
    expect(source.package.startsWith(source.versionedBy)).toBe(true);
  });

  it('knows its names', () => {
    expect(isProgramName('etcd')).toBe(true);
    expect(isProgramName('toString')).toBe(false);
  });
});
