import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  LabelSelectorError,
  labelSelectorMatcher,
  parseLabelSelector,
} from '../../../../domain/kubernetes/labelSelector.ts';
import type { LabelSelector } from '../../../../domain/restore/restore.ts';

type LabelSets = readonly { readonly labelSets: readonly Record<string, string>[] }[];

interface TextVector {
  readonly text: string;
  readonly error?: boolean;
  /** One for each of the label sets at the head of the file. */
  readonly matches?: readonly boolean[];
}

interface SelectorVector {
  readonly selector: LabelSelector;
  readonly error?: boolean;
  readonly matches?: readonly boolean[];
}

/**
 * Made by a Go program from labels.Parse and metav1.LabelSelectorAsSelector of k8s.io/apimachinery v0.36.3: the first line of
 * a file holds the sets of labels, each other line says which of them a selector matches.
 */
function readVectors(name: string): readonly [LabelSets[number]['labelSets'], readonly unknown[]] {
  const text = readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8');
  const [head, ...vectors] = JSON.parse(text) as [LabelSets[number], ...unknown[]];
  return [head.labelSets, vectors];
}

describe('parseLabelSelector', () => {
  const [labelSets, all] = readVectors('labelSelectorText');
  const vectors = all as readonly TextVector[];

  it.each(vectors.filter((vector) => vector.error !== true))(
    'selects like Kubernetes: "$text"',
    ({ text, matches }) => {
      expect(labelSets.map(parseLabelSelector(text))).toEqual(matches);
    },
  );

  it.each(vectors.filter((vector) => vector.error === true))('refuses like Kubernetes: "$text"', ({ text }) => {
    expect(() => parseLabelSelector(text)).toThrow(LabelSelectorError);
  });

  it.each([
    ['a in (b', `label selector: text is "a in (b", expected ',' or ')', found the end`],
    ['a b', 'label selector: text is "a b", expected one of in, notin, =, ==, !=, >, < after a, found b'],
    ['a=b/c', `label selector: value is "b/c", expected a label value: empty, or letters, digits, '-'`],
    ['-a', `label selector: key is "-a", expected a label key: letters`],
    ['a>b', 'label selector: value of a is "b", expected an integer'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it('takes no key of the prototype for a label', () => {
    expect(parseLabelSelector('constructor')({})).toBe(false);
    expect(parseLabelSelector('!toString')({})).toBe(true);
  });
});

describe('labelSelectorMatcher', () => {
  const [labelSets, all] = readVectors('labelSelector');
  const vectors = (all as readonly SelectorVector[]).map((vector) => ({
    ...vector,
    json: JSON.stringify(vector.selector),
  }));

  it.each(vectors.filter((vector) => vector.error !== true))(
    'selects like Kubernetes: $json',
    ({ selector, matches }) => {
      expect(labelSets.map(labelSelectorMatcher(selector))).toEqual(matches);
    },
  );

  it.each(vectors.filter((vector) => vector.error === true))('refuses like Kubernetes: $json', ({ selector }) => {
    expect(() => labelSelectorMatcher(selector)).toThrow(LabelSelectorError);
  });

  it.each<[LabelSelector, string]>([
    [
      { matchExpressions: [{ key: 'a', operator: 'Equals' }] },
      'label selector: matchExpressions[0].operator is "Equals", expected In, NotIn, Exists or DoesNotExist',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'label selector: matchExpressions[0].values is [], expected at least one value for operator In',
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      'label selector: matchExpressions[0].values is ["b"], expected no values for operator Exists',
    ],
    [{ matchLabels: { a: 'b c' } }, 'label selector: matchLabels[a] is "b c", expected a label value'],
  ])('names the field, the value and what was expected: %j', (selector, message) => {
    expect(() => labelSelectorMatcher(selector)).toThrow(message);
  });
});
