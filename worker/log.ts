import { DefaultLogger, type LogEntry, type Logger } from '@temporalio/worker';
import { type Logger as PinoLogger, pino } from 'pino';
import type { LogLevel, WorkerConfig } from './config.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** The worker's log on stderr: JSON lines, or one readable line each. */
export function createLog({
  logLevel = 'info',
  logFormat = 'json',
}: Pick<WorkerConfig, 'logLevel' | 'logFormat'>): PinoLogger {
  const destination = logFormat === 'json' ? pino.destination({ dest: 2, sync: true }) : { write: writeText };
  return pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

function writeText(line: string): void {
  const { time, level, msg, ...fields } = JSON.parse(line) as { time: string; level: number; msg?: string };
  const extra = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  process.stderr.write(`${time} ${pino.levels.labels[level] ?? 'info'} ${msg ?? ''}${extra.join('')}\n`);
}

/** Temporal's own messages in the same log. */
export function temporalLogger(log: PinoLogger, level: LogLevel = 'info'): Logger {
  const threshold = level.toUpperCase() as Uppercase<LogLevel>;
  return new DefaultLogger(threshold, ({ level: entryLevel, message, meta }: LogEntry) => {
    const { sdkComponent, taskQueue, workflowId, activityType, attempt, state, error } = meta ?? {};
    log[LEVELS[entryLevel]](
      { sdkComponent, taskQueue, workflowId, activityType, attempt, state: state as unknown, err: error as unknown },
      message,
    );
  });
}
