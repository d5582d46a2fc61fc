import type { ExecOutput } from '../../domain/kubernetes/podAccess.ts';

/** Keeps the beginning of an output and counts the rest. */
class Capture {
  bytes = 0;
  private kept = 0;
  private readonly chunks: Uint8Array[] = [];
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const room = this.limit - this.kept;
    if (room <= 0) return;
    // A copy: the rest of a large message must not stay in memory.
    const part = Uint8Array.from(chunk.subarray(0, room));
    this.kept += part.length;
    this.chunks.push(part);
  }

  get content(): Uint8Array {
    return Buffer.concat(this.chunks);
  }
}

/** Both outputs of a command, apart. */
export class ExecCapture {
  private readonly out: Capture;
  private readonly err: Capture;

  constructor(maxOutputBytes: number) {
    this.out = new Capture(maxOutputBytes);
    this.err = new Capture(maxOutputBytes);
  }

  stdout(chunk: Uint8Array): void {
    this.out.add(chunk);
  }

  stderr(chunk: Uint8Array): void {
    this.err.add(chunk);
  }

  get output(): ExecOutput {
    return {
      stdout: this.out.content,
      stderr: this.err.content,
      stdoutBytes: this.out.bytes,
      stderrBytes: this.err.bytes,
    };
  }
}
