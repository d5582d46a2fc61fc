import type { Pace, RestoreProgressReport } from '../../client/index.ts';
import { printable } from '../../domain/describe/printable.ts';
import type { RateMeter } from './rateMeter.ts';

const BAR_WIDTH = 24;
const numbers = new Intl.NumberFormat('en-US');

/** What is shown of a running restore. */
export interface ProgressView {
  readonly name: string;
  readonly report: RestoreProgressReport;
  /** Items a second. */
  readonly rate: number | undefined;
  readonly secondsLeft: number | undefined;
}

export function progressView(name: string, report: RestoreProgressReport, meter: RateMeter): ProgressView {
  return { name, report, rate: meter.perSecond, secondsLeft: meter.secondsTo(report.totalItems) };
}

/** One line without colours, for logs: `restoring pods: 812 of 2,003 items, 96/s, 12 s left; 3 warnings, 0 errors`. */
export function progressLine(view: ProgressView): string {
  const { report } = view;
  const trouble = report.troubles[0];
  return [
    `${view.name}: ${stepOf(report)}`,
    ...(report.totalItems === 0 ? [] : [`: ${countsOf(view)}`]),
    ...(trouble === undefined ? [] : [`; being retried: ${printable(trouble)}`]),
  ].join('');
}

/**
 * Several lines for a terminal that is redrawn: step, bar and counts, and what the restore is held up by.
 * @param columns longer lines are cut.
 */
export function progressPanel(view: ProgressView, columns: number): string {
  const { report, name } = view;
  const lines = [`${name}  ${report.phase}  ${stepOf(report)}`];
  if (report.totalItems > 0) lines.push(`${bar(report)} ${countsOf(view)}`);
  for (const trouble of report.troubles.slice(0, 2)) lines.push(`being retried: ${printable(trouble)}`);
  return lines.map((line) => cut(line, columns)).join('\n');
}

/** The step with the position of its wave: `restoring pods (wave 9 of 23)`. */
function stepOf({ step, waves, pace }: RestoreProgressReport): string {
  const position = waves.findIndex(({ name }) => `restoring ${name}` === step);
  const where = position < 0 ? step : `${step} (wave ${position + 1} of ${waves.length})`;
  return `${where}${paceNote(pace)}`;
}

function paceNote({ paused, maxInFlight }: Pace): string {
  if (paused) return ', paused';
  return maxInFlight === 0 ? '' : `, at most ${maxInFlight} in flight`;
}

function countsOf({ report, rate, secondsLeft }: ProgressView): string {
  const { counters, itemsDone, totalItems, hooks } = report;
  const pace = [
    `${count(itemsDone)} of ${count(totalItems)} items`,
    ...(rate === undefined ? [] : [`${count(Math.round(rate))}/s`]),
    ...(secondsLeft === undefined ? [] : [`${duration(secondsLeft)} left`]),
    ...(hooks === undefined ? [] : [`${count(hooks.done)} of ${plural(hooks.total, 'hook')} done`]),
  ];
  return `${pace.join(', ')}; ${plural(counters.warnings, 'warning')}, ${plural(counters.errors, 'error')}`;
}

function bar({ itemsDone, totalItems }: RestoreProgressReport): string {
  const filled = Math.min(BAR_WIDTH, Math.floor((itemsDone / totalItems) * BAR_WIDTH));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** `2,003` */
export function count(value: number): string {
  return numbers.format(value);
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Whole units, the two greatest: `47 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function cut(line: string, columns: number): string {
  const characters = Array.from(line);
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(1, columns - 1)).join('')}…`;
}
