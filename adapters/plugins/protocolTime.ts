/** As the protocol's reader gives them: 64-bit integers are texts. */
export interface Duration {
  readonly seconds: string;
  readonly nanos: number;
}

export type Timestamp = Duration;

/** Milliseconds; 0 where it is absent. */
export function durationMs(duration: Duration | null | undefined): number {
  return duration == null ? 0 : Number(duration.seconds) * 1_000 + duration.nanos / 1e6;
}

/** Go's zero time, `0001-01-01T00:00:00Z`, counts as unset. */
const GO_ZERO_SECONDS = -62_135_596_800;

/** RFC 3339; undefined where it is unset. */
export function timestampText(timestamp: Timestamp | null | undefined): string | undefined {
  if (timestamp == null) return undefined;
  const seconds = Number(timestamp.seconds);
  if (seconds === GO_ZERO_SECONDS) return undefined;
  return new Date(seconds * 1_000 + timestamp.nanos / 1e6).toISOString();
}
