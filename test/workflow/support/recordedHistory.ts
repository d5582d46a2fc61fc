import { createRequire } from 'node:module';
import type { WorkflowHandle } from '@temporalio/client';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

interface ProtobufJson {
  readonly fromJson: (type: unknown, json: unknown, options: { readonly ignoreUnknownFields: boolean }) => History;
}

interface ProtobufPatch {
  readonly patchProtobufRoot: (root: unknown) => ProtobufRoot;
}

interface ProtobufRoot {
  lookupType(name: string): unknown;
}

/**
 * A history from the JSON form of the API. The SDK's own reader wants its packages to share one copy of protobufjs, which npm does not
 * give them here (type must be a Type); this takes the copy that the message types were made with.
 */
export function historyFromJson(text: string): History {
  const ofProject = createRequire(import.meta.url);
  const ofProto = createRequire(ofProject.resolve('@temporalio/proto'));
  const { fromJson } = ofProto('protobufjs/ext/protojson') as ProtobufJson;
  const { patchProtobufRoot } = ofProto('@temporalio/proto/lib/patch-protobuf-root') as ProtobufPatch;
  const type = patchProtobufRoot(ofProto('@temporalio/proto')).lookupType('temporal.api.history.v1.History');
  return fromJson(type, JSON.parse(text), { ignoreUnknownFields: true });
}
