export { GlobSyntaxError } from './globSyntax.ts';

import { type GlobNode, parseGlob } from './globSyntax.ts';

/** Whether a text matches the whole of a compiled pattern. */
export type GlobMatcher = (text: string) => boolean;

type Step =
  | { readonly type: 'character'; readonly accepts: (character: string) => boolean }
  | { readonly type: 'fork'; readonly targets: readonly number[] }
  | { readonly type: 'end' };

const compiled = new Map<string, GlobMatcher>();
/** Patterns come from specs and resource modifiers: a few hundred at most. The bound is for a worker that lives for years. */
const CACHE_SIZE = 1_000;

/**
 * Compiles a pattern with the grammar of gobwas/glob, the library that Velero's includes and excludes and its resource
 * modifiers use: `*` any characters but separators, `**` any characters, `?` one character but no separator, `[abc]`,
 * `[!abc]`, `[a-c]`, `[!a-c]`, `{one,two}`, `\c` the character c. The whole text has to match, case matters.
 *
 * The time a match takes grows with pattern × text, never faster: patterns may come from anyone. Where the original's
 * optimiser departs from its own grammar (it takes `[!ab][!ab]` for "two characters without the text `ab`") the grammar holds.
 *
 * @param pattern compiled once, then taken from a cache.
 * @param separators characters that `*` and `?` stop at; none by default.
 * @throws GlobSyntaxError where the pattern is not one.
 */
export function compileGlob(pattern: string, separators = ''): GlobMatcher {
  const key = JSON.stringify([pattern, separators]);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const matcher = buildMatcher(parseGlob(pattern), separators);
  if (compiled.size >= CACHE_SIZE) compiled.clear();
  compiled.set(key, matcher);
  return matcher;
}

function buildMatcher(nodes: readonly GlobNode[], separators: string): GlobMatcher {
  const only = nodes.length === 1 ? nodes[0] : undefined;
  if (nodes.length === 0) return (text) => text === '';
  if (only?.type === 'text') return (text) => text === only.text;
  if (only?.type === 'super' || (only?.type === 'any' && separators === '')) return () => true;
  const steps: Step[] = [];
  appendSteps(steps, nodes, Array.from(separators));
  steps.push({ type: 'end' });
  return (text) => run(steps, text);
}

/** Appends the steps of a sequence; falling off its end goes on with whatever step comes next. */
function appendSteps(steps: Step[], nodes: readonly GlobNode[], separators: readonly string[]): void {
  for (const node of nodes) {
    switch (node.type) {
      case 'text':
        for (const wanted of node.text) {
          steps.push({ type: 'character', accepts: (character) => character === wanted });
        }
        break;
      case 'single':
        steps.push({ type: 'character', accepts: (character) => !separators.includes(character) });
        break;
      case 'class':
        steps.push({ type: 'character', accepts: node.accepts });
        break;
      case 'any':
        appendLoop(steps, (character) => !separators.includes(character));
        break;
      case 'super':
        appendLoop(steps, () => true);
        break;
      case 'alternatives':
        appendAlternatives(steps, node.alternatives, separators);
        break;
    }
  }
}

function appendLoop(steps: Step[], accepts: (character: string) => boolean): void {
  const start = steps.length;
  steps.push({ type: 'fork', targets: [start + 1, start + 3] });
  steps.push({ type: 'character', accepts });
  steps.push({ type: 'fork', targets: [start] });
}

function appendAlternatives(
  steps: Step[],
  alternatives: readonly (readonly GlobNode[])[],
  separators: readonly string[],
): void {
  const starts: number[] = [];
  const ends: number[] = [];
  const entry = steps.length;
  steps.push({ type: 'fork', targets: [] });
  for (const alternative of alternatives) {
    starts.push(steps.length);
    appendSteps(steps, alternative, separators);
    ends.push(steps.length);
    steps.push({ type: 'fork', targets: [] });
  }
  steps[entry] = { type: 'fork', targets: starts };
  for (const end of ends) steps[end] = { type: 'fork', targets: [steps.length] };
}

/** Runs all ways through the steps at once, one character (code point) after the other. */
function run(steps: readonly Step[], text: string): boolean {
  let current = new Set<number>();
  enter(steps, 0, current);
  for (const character of text) {
    const next = new Set<number>();
    for (const index of current) {
      const step = steps[index];
      if (step?.type === 'character' && step.accepts(character)) enter(steps, index + 1, next);
    }
    if (next.size === 0) return false;
    current = next;
  }
  return current.has(steps.length - 1);
}

/** Adds a step and all that can be reached from it without reading a character. */
function enter(steps: readonly Step[], start: number, reached: Set<number>): void {
  const pending = [start];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const step = steps[index];
    if (step?.type === 'fork') pending.push(...step.targets);
  }
}
