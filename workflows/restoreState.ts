import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RestoreProgress, Wave, WaveProgress } from '../domain/contract.ts';
import { normalPace, type Pace } from '../domain/pace.ts';
import type { RestorePhase } from '../domain/restore/restore.ts';
import { addCounters, type Counters, itemsDone, noCounters } from '../domain/results/counters.ts';
import { someOf } from './suspendedItems.ts';

const phaseKey = defineSearchAttributeKey('RestorePhase', 'KEYWORD');
const errorsKey = defineSearchAttributeKey('RestoreErrors', 'INT');
const itemsKey = defineSearchAttributeKey('RestoreItems', 'INT');

function cell(text: string | number): string {
  return String(text).replaceAll('|', '\\|');
}

/** How far a restore has come: what the query answers and what the Temporal UI shows. */
export class RestoreState {
  phase: RestorePhase = 'New';
  step = 'validating';
  startTimestamp: string | undefined;
  pace: Pace = normalPace;
  readonly runningShards = new Set<string>();
  /** Workflow ids of items of this workflow's own that wait for others. */
  readonly waiting = new Set<string>();
  /** Where there are pods with hooks. */
  hooks: RestoreProgress['hooks'];
  private counters: Counters = noCounters;
  private totalItems = 0;
  private waves: { readonly name: string; readonly total: number; counters: Counters }[] = [];
  private readonly useSearchAttributes: boolean;

  constructor(useSearchAttributes: boolean) {
    this.useSearchAttributes = useSearchAttributes;
  }

  enter(phase: RestorePhase, step: string): void {
    this.phase = phase;
    this.step = step;
    if (this.useSearchAttributes) {
      upsertSearchAttributes([
        { key: phaseKey, value: phase },
        { key: errorsKey, value: this.counters.errors },
        { key: itemsKey, value: this.totalItems },
      ]);
    }
    this.show();
  }

  planned(
    waves: readonly Wave[],
    totalItems: number,
    messages: { readonly warnings: number; readonly errors: number },
  ): void {
    this.totalItems = totalItems;
    this.waves = waves.map(({ name, length }) => ({ name, total: length, counters: noCounters }));
    this.counters = addCounters(this.counters, { ...noCounters, ...messages });
    this.show();
  }

  startWave(position: number): void {
    const wave = this.waves[position];
    this.step = wave === undefined ? '' : `restoring ${wave.name}`;
    this.show();
  }

  add(position: number, added: Counters): void {
    this.counters = addCounters(this.counters, added);
    const wave = this.waves[position];
    if (wave !== undefined) wave.counters = addCounters(wave.counters, added);
  }

  /** Messages beyond those of items. */
  addErrors(count: number): void {
    this.counters = addCounters(this.counters, { ...noCounters, errors: count });
  }

  progress(): RestoreProgress {
    return {
      phase: this.phase,
      step: this.step,
      totalItems: this.totalItems,
      counters: this.counters,
      waves: this.waves.map(toProgress),
      runningShards: [...this.runningShards],
      ...someOf(this.waiting),
      ...(this.hooks === undefined ? {} : { hooks: this.hooks }),
      startTimestamp: this.startTimestamp,
      pace: this.pace,
    };
  }

  /** Markdown for the workflow's page in the Temporal UI. */
  show(): void {
    const { counters, totalItems } = this;
    const rows = this.waves
      .map(toProgress)
      .map(
        ({ name, done, failed, total }) => `| ${mark(done, total)} | ${cell(name)} | ${done} of ${total} | ${failed} |`,
      );
    setCurrentDetails(
      [
        `**${this.phase}** – ${this.step}${paceText(this.pace)}`,
        '',
        `${itemsDone(counters)} of ${totalItems} items: ${counters.created} created, ${counters.updated} updated, ${counters.skipped} skipped, ${counters.failed} failed; ${counters.warnings} warnings, ${counters.errors} errors`,
        ...(this.hooks === undefined
          ? []
          : ['', `hooks: ${this.hooks.done} of ${this.hooks.total} done, ${this.hooks.failed} failed`]),
        ...(rows.length === 0 ? [] : ['', '| | Wave | Items | Failed |', '|:---:|:---|---:|---:|', ...rows]),
      ].join('\n'),
    );
  }
}

function paceText({ paused, maxInFlight }: Pace): string {
  if (paused) return ' – **paused**: nothing more is started until it is resumed';
  return maxInFlight === 0 ? '' : ` – at most ${maxInFlight} activities in flight`;
}

function mark(done: number, total: number): string {
  if (done >= total) return '✔';
  return done > 0 ? '▶' : '·';
}

function toProgress({ name, total, counters }: { name: string; total: number; counters: Counters }): WaveProgress {
  return { name, total, done: itemsDone(counters), failed: counters.failed };
}
