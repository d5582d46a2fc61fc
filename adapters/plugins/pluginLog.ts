/** Where a plugin's log goes; the worker's log. */
export type PluginLogLevel = 'debug' | 'info' | 'warn' | 'error';
export type PluginLogger = (level: PluginLogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface LogLine {
  readonly level: PluginLogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const JSON_LEVELS: Readonly<Record<string, PluginLogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
};
const TEXT_LEVEL = /^\[(TRACE|DEBUG|INFO|WARN|ERROR)\]\s*/;
const PANIC = /^(panic: |fatal error: )/;

/** Said twice, or ours to say. */
const DROPPED_FIELDS: readonly string[] = [
  '@message',
  '@level',
  '@timestamp',
  '@logSourceSetBy',
  'time',
  'timestamp',
  'level',
];

/** go-plugin takes longer lines apart. */
const LONGEST_LINE = 64 * 1024;

/** A line of a plugin's error output as a log entry (spec plugin-protocol.md §4). @param panicking a Go panic began in an earlier line */
export function parseLogLine(line: string, panicking: boolean): LogLine {
  const json = line.startsWith('{') ? parseObject(line) : undefined;
  if (json === undefined) {
    if (panicking || PANIC.test(line)) return { level: 'error', message: line, fields: {} };
    const level = TEXT_LEVEL.exec(line)?.[1]?.toLowerCase() ?? 'debug';
    return { level: JSON_LEVELS[level] ?? 'debug', message: line.replace(TEXT_LEVEL, ''), fields: {} };
  }
  const level = typeof json['@level'] === 'string' ? JSON_LEVELS[json['@level']] : undefined;
  if (level === undefined) return { level: 'debug', message: line, fields: {} };
  const fields = Object.entries(json).filter(([key]) => !DROPPED_FIELDS.includes(key));
  const message = typeof json['@message'] === 'string' ? json['@message'] : '';
  return { level, message, fields: Object.fromEntries(fields) };
}

export function isPanic(line: string): boolean {
  return PANIC.test(line);
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts a stream of bytes into lines; lines that are too long come in pieces. */
export class LineSplitter {
  private rest = '';
  private readonly onLine: (line: string) => void;
  private readonly decoder = new TextDecoder();

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    this.rest += this.decoder.decode(chunk, { stream: true });
    const lines = this.rest.split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.tell(line);
    while (this.rest.length > LONGEST_LINE) {
      this.tell(this.rest.slice(0, LONGEST_LINE));
      this.rest = this.rest.slice(LONGEST_LINE);
    }
  }

  end(): void {
    if (this.rest !== '') this.tell(this.rest);
    this.rest = '';
  }

  private tell(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text !== '') this.onLine(text);
  }
}

/** Lines of one plugin that are passed on in a second; what is beyond is counted. */
const LINES_PER_SECOND = 200;

/** Keeps a plugin that says too much from flooding the log: beyond 200 lines a second only their number is told. */
export class LogLimiter {
  private second = 0;
  private lines = 0;
  private dropped = 0;
  private readonly log: PluginLogger;
  private readonly now: () => number;

  constructor(log: PluginLogger, now: () => number = Date.now) {
    this.log = log;
    this.now = now;
  }

  add({ level, message, fields }: LogLine): void {
    const second = Math.floor(this.now() / 1_000);
    if (second !== this.second) {
      this.tellDropped();
      this.second = second;
      this.lines = 0;
    }
    this.lines += 1;
    if (this.lines > LINES_PER_SECOND) this.dropped += 1;
    else this.log(level, message, fields);
  }

  /** To be called when the plugin says nothing more. */
  tellDropped(): void {
    if (this.dropped > 0) this.log('warn', `${this.dropped} lines were left out: the plugin logs too much`, {});
    this.dropped = 0;
  }
}
