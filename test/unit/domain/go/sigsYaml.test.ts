import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseSigsYaml, SigsYamlError } from '../../../../domain/go/sigsYaml.ts';
import { parseJson } from '../../../../domain/jsonText.ts';

/** Made by tools/go-vectors with sigs.k8s.io/yaml v1.4.0. */
const vectors = JSON.parse(readFileSync(new URL('./vectors/sigsYaml.json', import.meta.url), 'utf8')) as {
  readonly text: string;
  readonly json?: string;
  readonly error?: boolean;
}[];

describe('parseSigsYaml', () => {
  it.each(vectors.filter(({ error }) => error !== true))('reads $text as $json', ({ text, json }) => {
    expect(parseSigsYaml(text)).toEqual(parseJson(json ?? ''));
  });

  it.each(vectors.filter(({ error }) => error === true))('refuses $text', ({ text }) => {
    expect(() => parseSigsYaml(text)).toThrow(SigsYamlError);
  });

  it('names the place and keeps the text to itself', () => {
    expect(() => parseSigsYaml('data: "x\npassword: geheim')).toThrow(/^line \d+, column \d+: [^"]*$/);
    expect(() => parseSigsYaml('a: 1\na: 2')).toThrow('a key that occurs twice in its map');
  });

  it('does not let aliases grow without end', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );

    expect(() => parseSigsYaml(lines.join('\n'))).toThrow(SigsYamlError);
  });
});
