export type LogLevel = 'info' | 'warning' | 'error';

export interface LogLine {
  /** RFC 3339; written in UTC to the second, as logrus does. */
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Values of other characters are quoted. */
const PLAIN_VALUE = /^[A-Za-z0-9\-._/@^+]*$/;
/** What Go's `unicode.IsPrint` refuses; the space is the only separator that is printable. */
const NOT_PRINTABLE = /(?! )[\p{C}\p{Z}]/u;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\u000b', '\\v'],
]);

/** A line of logrus' text format without colours: time, level, msg, then the fields sorted by name. */
export function renderLogLine({ time, level, message, fields }: LogLine): string {
  const pairs: (readonly [string, string])[] = [
    ['time', toSeconds(time)],
    ['level', level],
    ['msg', message],
    ...Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
  return `${pairs.map(([key, value]) => `${key}=${quoteIfNeeded(value)}`).join(' ')}\n`;
}

/** logrus leaves empty values unquoted. */
function quoteIfNeeded(value: string): string {
  return PLAIN_VALUE.test(value) ? value : quoteForGo(value);
}

/** A Go string literal, as `%q` prints it. */
function quoteForGo(value: string): string {
  return `"${Array.from(value, escapeForGo).join('')}"`;
}

function escapeForGo(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  if (!NOT_PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  // A lone half of a pair has no UTF-8: Go would see the replacement character.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function toSeconds(time: string): string {
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? time : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
