import {
  checkLabelKey,
  checkLabelValue,
  hasLabel,
  type LabelMatcher,
  LabelSelectorError,
  labelCompares,
  labelIsIn,
  matchingAll,
  notMatching,
  parseLabelInteger,
} from './labelRequirement.ts';

const WHITESPACE = ' \t\r\n';
const SYMBOL_CHARACTERS = '=!(),><';
/** Longest first. */
const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'];
const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'] as const;

interface Token {
  readonly text: string;
  readonly isSymbol: boolean;
}

/**
 * Parses a selector as `kubectl -l` and Velero's hooks take it: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`,
 * `!a`, `a>1`, `a<1`, joined by commas. Empty text selects everything; an absent value is the empty value.
 * @throws LabelSelectorError where Kubernetes' own parser would refuse the text.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  return new LabelSelectorParser(text).parse();
}

class LabelSelectorParser {
  private readonly text: string;
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = tokenize(text);
  }

  parse(): LabelMatcher {
    const matchers: LabelMatcher[] = [];
    if (this.peek() === undefined) return matchingAll(matchers);
    do matchers.push(this.parseRequirement());
    while (this.takeSymbol(','));
    if (this.peek() !== undefined) throw this.unexpected("',' or the end");
    return matchingAll(matchers);
  }

  private parseRequirement(): LabelMatcher {
    const negated = this.takeSymbol('!');
    const key = this.takeIdentifier();
    checkLabelKey('key', key);
    if (negated) return notMatching(hasLabel(key));
    const operator = this.peek();
    if (operator === undefined || isSymbol(operator, ',')) return hasLabel(key);
    this.position++;
    switch (operator.text as (typeof OPERATORS)[number]) {
      case 'in':
        return labelIsIn(key, this.parseValues());
      case 'notin':
        return notMatching(labelIsIn(key, this.parseValues()));
      case '=':
      case '==':
        return labelIsIn(key, [this.parseValue()]);
      case '!=':
        return notMatching(labelIsIn(key, [this.parseValue()]));
      case '>': {
        const limit = parseLabelInteger(`value of ${key}`, this.parseValue());
        return labelCompares(key, (integer) => integer > limit);
      }
      case '<': {
        const limit = parseLabelInteger(`value of ${key}`, this.parseValue());
        return labelCompares(key, (integer) => integer < limit);
      }
      default:
        this.position--;
        throw this.unexpected(`one of ${OPERATORS.join(', ')} after ${key}`);
    }
  }

  private parseValue(): string {
    const token = this.peek();
    if (token === undefined || isSymbol(token, ',')) return '';
    return this.checkedValue(this.takeIdentifier());
  }

  /** `(a,b)`; nothing between two commas or next to a parenthesis is the empty value. */
  private parseValues(): readonly string[] {
    if (!this.takeSymbol('(')) throw this.unexpected("'('");
    const values: string[] = [];
    do {
      const token = this.peek();
      const isEmpty = token === undefined || isSymbol(token, ',') || isSymbol(token, ')');
      values.push(isEmpty ? '' : this.checkedValue(this.takeIdentifier()));
    } while (this.takeSymbol(','));
    if (!this.takeSymbol(')')) throw this.unexpected("',' or ')'");
    return values;
  }

  private checkedValue(value: string): string {
    checkLabelValue('value', value);
    return value;
  }

  private takeIdentifier(): string {
    const token = this.peek();
    if (token === undefined || token.isSymbol) throw this.unexpected('an identifier');
    this.position++;
    return token.text;
  }

  private takeSymbol(symbol: string): boolean {
    const token = this.peek();
    if (token === undefined || !isSymbol(token, symbol)) return false;
    this.position++;
    return true;
  }

  private peek(): Token | undefined {
    return this.tokens[this.position];
  }

  private unexpected(expected: string): LabelSelectorError {
    return new LabelSelectorError('text', this.text, `${expected}, found ${this.peek()?.text ?? 'the end'}`);
  }
}

function isSymbol(token: Token, symbol: string): boolean {
  return token.isSymbol && token.text === symbol;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    if (WHITESPACE.includes(text.charAt(position))) {
      position++;
      continue;
    }
    const symbol = SYMBOLS.find((candidate) => text.startsWith(candidate, position));
    const token = symbol ?? readIdentifier(text, position);
    tokens.push({ text: token, isSymbol: symbol !== undefined });
    position += token.length;
  }
  return tokens;
}

function readIdentifier(text: string, start: number): string {
  let end = start;
  while (end < text.length && !WHITESPACE.includes(text.charAt(end)) && !SYMBOL_CHARACTERS.includes(text.charAt(end)))
    end++;
  return text.slice(start, end);
}
