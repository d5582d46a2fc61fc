import { getArray, getString, isObject, type Json } from '../../domain/json.ts';
import { parseJson } from '../../domain/jsonText.ts';
import type { ExecEnd } from '../../domain/kubernetes/podAccess.ts';

/**
 * Reads the metav1.Status that the kubelet sends when a command has ended (v4.channel.k8s.io and newer): success, an exit code, or
 * what kept the command from running.
 */
export function readExecStatus(text: string): ExecEnd {
  const status = parse(text);
  if (!isObject(status)) return { kind: 'lost', message: 'the status of the command is no JSON object' };
  if (status['status'] === 'Success') return { kind: 'exited', exitCode: 0 };
  if (status['reason'] === 'NonZeroExitCode') {
    const causes = getArray(status, ['details', 'causes']) ?? [];
    const cause = causes.find((one) => getString(one, ['reason']) === 'ExitCode');
    const exitCode = Number(getString(cause, ['message']));
    if (Number.isInteger(exitCode)) return { kind: 'exited', exitCode };
  }
  return { kind: 'refused', message: withoutCommand(getString(status, ['message']) ?? 'the command could not be run') };
}

/** Servers tell the address that they could not reach, and the command is a part of it. */
export function withoutCommand(message: string): string {
  return message.replace(/\?[^\s"]*\bcommand=[^\s"]*/g, '?…');
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
