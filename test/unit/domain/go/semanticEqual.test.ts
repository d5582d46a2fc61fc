import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { semanticEqual } from '../../../../domain/go/semanticEqual.ts';
import { parseJson } from '../../../../domain/jsonText.ts';

/**
 * Made by a Go program from equality.Semantic.DeepEqual of k8s.io/apimachinery v0.36.3 over JSON texts decoded like
 * unstructured objects are (util/json).
 */
const vectors = JSON.parse(readFileSync(new URL('./vectors/semanticEqual.json', import.meta.url), 'utf8')) as {
  readonly a: string;
  readonly b: string;
  readonly equal: boolean;
}[];

describe('semanticEqual', () => {
  it.each(vectors)('$a and $b: $equal', ({ a, b, equal }) => {
    expect(semanticEqual(parseJson(a), parseJson(b))).toBe(equal);
    expect(semanticEqual(parseJson(b), parseJson(a))).toBe(equal);
  });
});
