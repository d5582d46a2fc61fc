import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowCode } from '../../worker/workflowCode.ts';
import { historyFromJson } from './support/recordedHistory.ts';

jest.setTimeout(120_000);

const folder = join(import.meta.dirname, '..', 'histories');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort();

function recorded(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

async function replay(text: string): Promise<void> {
  const history = historyFromJson(text);
  const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  if (workflowId == null) throw new Error('the history does not begin with the start of a workflow');
  await Worker.runReplayHistory({ workflowBundle: await workflowCode() }, history, workflowId);
}

/** Restores that earlier versions began go on with this one (tools/recordHistories.ts made them). */
describe('recorded histories', () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });

  it('are those of restores, of shards and of hooks', () => {
    const kinds = [
      'inline',
      'strict',
      'shards',
      'groups',
      'cancelled',
      'failed',
      'failedValidation',
      'hooks',
      'hooksFailed',
    ];
    expect(files).toEqual(expect.arrayContaining(kinds.map((kind) => `0.1.0/${kind}.json`)));
    expect(files.filter((name) => /-\d{8}\.json$/.test(name)).length).toBeGreaterThanOrEqual(6);
  });

  it.each(files)('%s is replayed', async (file) => {
    await replay(recorded(file));
  });

  it('are not replayed where something else had happened', async () => {
    const history = recorded('0.1.0/inline.json');
    const other = history.replaceAll('"name": "describeItems"', '"name": "finalize"');
    expect(other).not.toBe(history);
    await expect(replay(other)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });
});
