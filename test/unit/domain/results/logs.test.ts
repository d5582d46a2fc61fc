import { describe, expect, it } from '@jest/globals';
import type { PlanEntry } from '../../../../domain/plan/planEntry.ts';
import { compareGoStrings, renderGoJson, sortedRecord } from '../../../../domain/results/goJson.ts';
import { type LogLevel, renderLogLine } from '../../../../domain/results/logrus.ts';
import type { Outcome, OutcomeReason } from '../../../../domain/results/outcome.ts';
import { RestoreLog, renderRestoreLog } from '../../../../domain/results/restoreLog.ts';
import { parseResultsFile } from '../../../../domain/results/results.ts';
import { readFixture } from './fixture.ts';

const at = '2026-11-30T16:14:49.123Z';
const log = new RestoreLog({ namespace: 'velero', name: 'labels', backupName: 'full' });

const secret: PlanEntry = {
  index: 7,
  groupResource: 'secrets',
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'shop',
  targetNamespace: 'shop',
  name: 'tls',
};

function itemLines(entry: PlanEntry, outcome: Partial<Outcome>): string[] {
  return [...log.item(entry, { index: entry.index, action: 'created', tracked: true, at, ...outcome })];
}

describe('RestoreLog', () => {
  it('starts with the backup', () => {
    expect([...log.start(at)]).toEqual([
      'time="2026-11-30T16:14:49Z" level=info msg="starting restore" restore=velero/labels\n',
      'time="2026-11-30T16:14:49Z" level=info msg="Starting restore of backup velero/full" restore=velero/labels\n',
    ]);
  });

  it('ends with the lines that real Velero wrote for the same results', () => {
    const velero = readFixture('velero-log-lines.txt').split('\n');
    const expected = velero
      .filter((line) => line.includes('resource restore error') || line.includes('restore completed'))
      .map((line) => `${line.replace(/ logSource="[^"]*"/, '')}\n`);
    expect(expected).toHaveLength(5);
    expect([...log.end(at, parseResultsFile(readFixture('labels-results.txt')))]).toEqual(expected);
  });

  it('ends with errors before warnings, Velero before cluster before sorted namespaces', () => {
    const result = { velero: ['v'], cluster: ['c'], namespaces: { b: ['n'], a: ['n1', 'n2'] } };
    const messages = [...log.end(at, { warnings: result, errors: result })].map(
      (line) => /level=(\w+) msg="([^"]*)"/.exec(line)!,
    );
    const texts = (level: string): string[] => [
      `Velero restore ${level}: v`,
      `Cluster resource restore ${level}: c`,
      `Namespace a, resource restore ${level}: n1`,
      `Namespace a, resource restore ${level}: n2`,
      `Namespace b, resource restore ${level}: n`,
    ];
    expect(messages.map((match) => match[2])).toEqual([...texts('error'), ...texts('warning'), 'restore completed']);
    expect(messages.map((match) => match[1]).join(' ')).toBe(`${'error '.repeat(5)}${'warning '.repeat(5)}info`);
  });

  it('says of an item what was tried, what went wrong and what became of it', () => {
    const lines = itemLines(secret, {
      action: 'failed',
      reason: 'refused',
      messages: [
        { level: 'error', scope: { namespace: 'shop' }, text: 'error restoring secrets/shop/tls: no "quota"' },
      ],
    });
    const fields = 'groupResource=secrets name=tls namespace=shop restore=velero/labels\n';
    expect(lines).toEqual([
      `time="2026-11-30T16:14:49Z" level=info msg="Attempting to restore Secret: tls." ${fields}`,
      `time="2026-11-30T16:14:49Z" level=error msg="error restoring secrets/shop/tls: no \\"quota\\"" ${fields}`,
      `time="2026-11-30T16:14:49Z" level=info msg="Secret shop/tls could not be restored" ${fields}`,
    ]);
  });

  it.each<[OutcomeReason, string]>([
    ['completed', 'shop/tls is complete - skipping'],
    ['action', 'Skipping restore because a registered plugin discarded it'],
    ['mirrorPod', 'Not restoring Secret shop/tls because it is a mirror pod'],
    ['duplicate', 'Not restoring Secret shop/tls: another item of the backup is restored under this name'],
    ['unreadable', 'Not restoring Secret shop/tls: it cannot be read from the backup'],
    ['cancelled', 'Not restoring Secret shop/tls: the restore was cancelled'],
    ['volumeNotRestored', 'Not restoring Secret shop/tls: a new volume is provisioned for its claim'],
  ])('does not claim an attempt where there was none: %s', (reason, text) => {
    const lines = itemLines(secret, { action: 'skipped', reason });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`msg="${text}"`);
  });

  it.each<[Partial<Outcome>, string]>([
    [{ action: 'created' }, 'Secret shop/tls successfully created'],
    [{ action: 'created', createdName: 'tls-x' }, 'Secret shop/tls successfully created as tls-x'],
    [{ action: 'updated' }, 'Secret shop/tls successfully updated'],
    [{ action: 'skipped' }, 'Secret shop/tls skipped'],
    [{ action: 'failed' }, 'Secret shop/tls failed'],
    [
      { action: 'skipped', reason: 'equal' },
      'Restore of tls skipped: it already exists in the cluster and is the same as the backed up version',
    ],
    [
      { action: 'failed', reason: 'differs' },
      'Secret shop/tls already exists in the cluster and differs from the backed up version: left as it is',
    ],
    [
      { action: 'skipped', reason: 'labelsOnly' },
      'Secret shop/tls already exists in the cluster: only its backup and restore labels were updated',
    ],
    [{ action: 'skipped', reason: 'exists' }, 'Secret shop/tls already exists in the cluster: left as it is'],
  ])('says what an attempt led to: %j', (outcome, text) => {
    const lines = itemLines(secret, outcome);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`msg="${text}"`);
  });

  it.each<[string, Partial<PlanEntry>, string]>([
    [
      'mapped namespace',
      { targetNamespace: 'copy' },
      'groupResource=secrets name=tls namespace=shop restore=velero/labels targetNamespace=copy',
    ],
    [
      'cluster scope',
      { namespace: undefined, targetNamespace: undefined },
      'name=tls namespace= restore=velero/labels',
    ],
    [
      'namespace item',
      { targetName: 'copy', namespace: undefined, targetNamespace: undefined },
      'restore=velero/labels targetName=copy',
    ],
  ])('names the item in fields: %s', (_, more, expected) => {
    const lines = itemLines({ ...secret, ...more }, {});
    expect(lines.map((line) => line.trimEnd().endsWith(expected))).toEqual([true, true]);
  });
});

describe('renderRestoreLog', () => {
  it('has the start, every item with its messages, hooks, all messages under their scopes, and the end', async () => {
    const warning = { level: 'warning', scope: { namespace: 'shop' }, text: 'it differs' } as const;
    const lines = renderRestoreLog({
      restore: { namespace: 'velero', name: 'r1', spec: { backupName: 'full' } },
      startTimestamp: '2026-05-04T08:00:00Z',
      completionTimestamp: '2026-05-04T08:01:00Z',
      items: [
        {
          entry: secret,
          outcome: { index: 7, action: 'failed', reason: 'differs', tracked: true, at, messages: [warning] },
        },
      ],
      hooks: [{ time: '2026-05-04T08:00:59Z', level: 'info', message: 'stdout: done', fields: { pod: 'shop/db-0' } }],
      messages: [{ level: 'error', scope: 'velero', text: 'plan' }, warning],
    });
    const all: string[] = [];
    for await (const line of lines) all.push(line);
    const parts = all.map((line) =>
      /^time="([^"]+)" level=(\w+) msg="([^"]+)".* restore=velero\/r1\n$/.exec(line)?.slice(1),
    );
    expect(parts).toEqual([
      ['2026-05-04T08:00:00Z', 'info', 'starting restore'],
      ['2026-05-04T08:00:00Z', 'info', 'Starting restore of backup velero/full'],
      ['2026-11-30T16:14:49Z', 'info', 'Attempting to restore Secret: tls.'],
      ['2026-11-30T16:14:49Z', 'warning', 'it differs'],
      [
        '2026-11-30T16:14:49Z',
        'info',
        'Secret shop/tls already exists in the cluster and differs from the backed up version: left as it is',
      ],
      ['2026-05-04T08:00:59Z', 'info', 'stdout: done'],
      ['2026-05-04T08:01:00Z', 'error', 'Velero restore error: plan'],
      ['2026-05-04T08:01:00Z', 'warning', 'Namespace shop, resource restore warning: it differs'],
      ['2026-05-04T08:01:00Z', 'info', 'restore completed'],
    ]);
  });
});

interface GoText {
  readonly texts: readonly { readonly text: string; readonly quoted: string }[];
}

const go = JSON.parse(readFixture('goText.json')) as GoText;
/** Texts of goText.json that logrus writes bare. */
const BARE = ['', 'plain', 'ns/name-1.2_x@y^z+w'];

function render(message: string): string {
  return renderLogLine({ time: '2026-05-04T08:00:00Z', level: 'info', message, fields: {} });
}

describe('renderLogLine', () => {
  it.each(go.texts)('quotes $text where logrus does and as Go does', ({ text, quoted }) => {
    const expected = BARE.includes(text) ? text : quoted;
    expect(render(text)).toBe(`time="2026-05-04T08:00:00Z" level=info msg=${expected}\n`);
  });

  it('takes half a surrogate pair for the replacement character, as UTF-8 has none', () => {
    expect(render('a \ud800')).toContain('msg="a \ufffd"');
  });

  it('writes times in UTC to the second', () => {
    const line = renderLogLine({ time: '2026-05-04T10:00:00.999+02:00', level: 'info', message: 'm', fields: {} });
    expect(line).toMatch(/^time="2026-05-04T08:00:00Z" /);
  });

  const lines = readFixture('velero-log-lines.txt').trimEnd().split('\n');
  it.each(lines)('writes a line as real Velero did: %s', (line) => {
    const pairs = [...line.matchAll(/(?:^| )([a-zA-Z ]+)=("(?:\\.|[^"\\])*"|[^" ]*)/g)].map((match) => {
      const value = match[2]!;
      return [match[1]!, value.startsWith('"') ? (JSON.parse(value) as string) : value] as const;
    });
    const { time, level, msg, ...fields } = Object.fromEntries(pairs);
    expect(pairs.length).toBeGreaterThan(4);
    expect(renderLogLine({ time: time!, level: level as LogLevel, message: msg!, fields })).toBe(`${line}\n`);
  });
});

describe('goJson', () => {
  interface GoText {
    readonly texts: readonly { readonly text: string; readonly json: string }[];
    readonly sorted: readonly string[];
    readonly unsorted: readonly string[];
  }

  const go = JSON.parse(readFixture('goText.json')) as GoText;

  describe('renderGoJson', () => {
    it.each(go.texts)('writes $text as json.Encoder does', ({ text, json }) => {
      expect(renderGoJson([text])).toBe(`[${json.trimEnd()}]\n`);
    });

    it('keeps the order of keys, without spaces', () => {
      expect(renderGoJson({ b: [], a: { '<': 1 } })).toBe('{"b":[],"a":{"\\u003c":1}}\n');
    });
  });

  describe('compareGoStrings', () => {
    it('sorts as sort.Strings does', () => {
      expect([...go.unsorted].sort(compareGoStrings)).toEqual(go.sorted);
    });
  });

  describe('sortedRecord', () => {
    it('keeps keys that mean something to JavaScript', () => {
      const record = JSON.parse('{"constructor":1,"__proto__":2,"a":3}') as Record<string, number>;
      expect(Object.entries(sortedRecord(record))).toEqual([
        ['__proto__', 2],
        ['a', 3],
        ['constructor', 1],
      ]);
    });
  });
});
