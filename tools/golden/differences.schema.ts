import { z } from 'zod';

const kinds = ['object', 'results', 'resourceList', 'status'] as const;

/** What is compared: objects of the cluster, warnings and errors, the resource list, the Restore's status. */
export type DifferenceKind = (typeof kinds)[number];

const entry = z.strictObject({
  /** Case names, `*` as wildcard. */
  cases: z.union([z.string(), z.array(z.string()).min(1)]),
  kind: z.enum(kinds),
  /** Regular expression for the whole line of the comparison. */
  pattern: z.string().min(1),
  /** How often it may apply to a case; default 1. */
  times: z.int().positive().default(1),
  /** A line that must be there too and goes with the first; `$1` and so on are groups of the pattern. */
  with: z.strictObject({ kind: z.enum(kinds), line: z.string().min(1) }).optional(),
});

/** `test/golden/differences.yaml`. */
export const differencesSchema = z.array(
  z.strictObject({
    /** Ties a difference to its section in docs/velero-differences.md. */
    id: z.string().regex(/^[a-z0-9-]+$/, 'a name of small letters, digits and hyphens'),
    /** Why we differ, or why it does not matter. */
    reason: z.string().min(30),
    /** What is still to be built, for a difference that is not meant to stay. */
    until: z.string().optional(),
    entries: z.array(entry).min(1),
  }),
);
