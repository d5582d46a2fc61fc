import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const HEAP_MB = 700;
const PATIENCE_MS = 300_000;
const program = fileURLToPath(new URL('./planLargeBackup.ts', import.meta.url));

describe('a large plan', () => {
  it(
    `200,000 items fit into a heap of ${HEAP_MB} MB`,
    async () => {
      const options = [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', program, '200000'];
      // Jest's own options are no business of the program.
      const { stdout } = await promisify(execFile)(process.execPath, options, {
        env: { ...process.env, NODE_OPTIONS: '' },
      });

      expect(JSON.parse(stdout)).toEqual({
        counts: {
          Namespace: 50,
          PersistentVolume: 25_000,
          PersistentVolumeClaim: 25_000,
          ConfigMap: 100_000,
          Pod: 50_000,
        },
        dropped: 25_000,
        waves: [
          { name: 'namespaces', kind: 'namespaces', offset: 0, length: 50 },
          { name: 'persistentvolumes', kind: 'items', offset: 50, length: 25_000 },
          { name: 'persistentvolumeclaims', kind: 'items', offset: 25_050, length: 25_000 },
          { name: 'configmaps', kind: 'items', offset: 50_050, length: 100_000 },
          { name: 'pods', kind: 'items', offset: 150_050, length: 50_000 },
        ],
        indexesInOrder: true,
        // Every pod asks for a claim that is not there, and every second one for another.
        messages: 75_000,
      });
    },
    PATIENCE_MS,
  );
});
