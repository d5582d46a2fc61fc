/** Lone surrogates, and the character that stands for undecodable bytes. */
const INVALID_UNICODE = /[\p{Surrogate}\uFFFD]/u;

/** Thrown for a text that is no glob pattern. */
export class GlobSyntaxError extends Error {
  readonly type = 'GlobSyntax';
  constructor(
    readonly pattern: string,
    reason: string,
  ) {
    super(`glob pattern ${JSON.stringify(pattern)}: ${reason}`);
    this.name = 'GlobSyntaxError';
  }
}

/** One part of a pattern; a pattern is a sequence of them. */
export type GlobNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'any' }
  | { readonly type: 'super' }
  | { readonly type: 'single' }
  | { readonly type: 'class'; readonly accepts: (character: string) => boolean }
  | { readonly type: 'alternatives'; readonly alternatives: readonly (readonly GlobNode[])[] };

/**
 * Parses a pattern into its parts, with what gobwas/glob tolerates: an unclosed `{` ends with the pattern, `}` and `,`
 * outside of braces are themselves, a `\` at the end is dropped.
 * @throws GlobSyntaxError for an empty, unclosed or reversed character class and for text that is not valid Unicode.
 */
export function parseGlob(pattern: string): readonly GlobNode[] {
  if (INVALID_UNICODE.test(pattern)) {
    throw new GlobSyntaxError(pattern, 'expected valid Unicode text');
  }
  return new GlobParser(pattern).parseSequence(0);
}

class GlobParser {
  private readonly pattern: string;
  private readonly characters: readonly string[];
  private position = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
    this.characters = Array.from(pattern);
  }

  /** Reads up to the end of the pattern or, inside braces (`depth` > 0), up to the `,` or `}` that ends the alternative. */
  parseSequence(depth: number): readonly GlobNode[] {
    const nodes: GlobNode[] = [];
    for (let next = this.peek(); next !== undefined; next = this.peek()) {
      if (depth > 0 && (next === ',' || next === '}')) break;
      const node = this.parseNode(next, depth);
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  private parseNode(next: string, depth: number): GlobNode | undefined {
    switch (next) {
      case '*':
        this.position++;
        if (this.peek() !== '*') return { type: 'any' };
        this.position++;
        return { type: 'super' };
      case '?':
        this.position++;
        return { type: 'single' };
      case '[':
        this.position++;
        return { type: 'class', accepts: this.parseClass() };
      case '{':
        this.position++;
        return this.parseAlternatives(depth + 1);
      default: {
        const text = this.parseText(depth > 0 ? '?*[{},' : '?*[{');
        return text === '' ? undefined : { type: 'text', text };
      }
    }
  }

  private parseAlternatives(depth: number): GlobNode {
    const alternatives = [this.parseSequence(depth)];
    while (this.peek() === ',') {
      this.position++;
      alternatives.push(this.parseSequence(depth));
    }
    this.position++;
    return { type: 'alternatives', alternatives };
  }

  /** What stands between `[` and `]`: a range `a-c`, or a list in which `-` has no meaning; `\` escapes only in a list. */
  private parseClass(): (character: string) => boolean {
    const negated = this.peek() === '!';
    if (negated) this.position++;
    const first = this.peek();
    const isRange = first !== undefined && this.characters[this.position + 1] === '-';
    const accepts = isRange ? this.parseRange(first) : this.parseList();
    if (this.peek() !== ']')
      throw this.error(`expected "]" to end the character class at its place ${this.position + 1}`);
    this.position++;
    return negated ? (character) => !accepts(character) : accepts;
  }

  private parseRange(low: string): (character: string) => boolean {
    this.position += 2;
    const high = this.peek();
    if (high === undefined) throw this.error('expected the end of the character range');
    this.position++;
    const [from, to] = [codePoint(low), codePoint(high)];
    if (to < from)
      throw this.error(`the range "${low}-${high}" is reversed: expected its end not to be before its start`);
    return (character) => codePoint(character) >= from && codePoint(character) <= to;
  }

  private parseList(): (character: string) => boolean {
    const listed = new Set(this.parseText(']'));
    if (listed.size === 0) throw this.error('the character class is empty: expected at least one character');
    return (character) => listed.has(character);
  }

  /** Literal text up to one of `breakers`. */
  private parseText(breakers: string): string {
    let text = '';
    for (let next = this.peek(); next !== undefined && !breakers.includes(next); next = this.peek()) {
      this.position++;
      if (next !== '\\') {
        text += next;
        continue;
      }
      text += this.peek() ?? '';
      this.position++;
    }
    return text;
  }

  private peek(): string | undefined {
    return this.characters[this.position];
  }

  private error(reason: string): GlobSyntaxError {
    return new GlobSyntaxError(this.pattern, reason);
  }
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
