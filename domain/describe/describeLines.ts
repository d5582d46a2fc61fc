import { sortedRecord } from '../results/goJson.ts';
import type { Line } from './columns.ts';
import { printable } from './printable.ts';

/** `Name:  k=v`, further entries below it; sorted by key, `<none>` where there are none. */
export function mapLines(name: string, map: Readonly<Record<string, string>> | undefined): Line[] {
  const entries = Object.entries(sortedRecord(map ?? {})).map(([key, value]) => printable(`${key}=${value}`));
  return listLines(name, entries);
}

/** `Name:  first`, further texts below it; `<none>` where there are none. @param texts printable. */
export function listLines(name: string, texts: readonly string[]): Line[] {
  const [first = '<none>', ...rest] = texts;
  return [[`${name}:`, first], ...rest.map((text): Line => ['', text])];
}

/** Texts of a list on one line. */
export function joined(texts: readonly string[] | undefined, none: string): string {
  return texts === undefined || texts.length === 0 ? none : printable(texts.join(', '));
}

/** An optional truth value as Velero names its three states. */
export function tristate(value: boolean | undefined, ifTrue: string, ifFalse: string): string {
  if (value === undefined) return 'auto';
  return value ? ifTrue : ifFalse;
}
