import { fromJSON, type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader';

/**
 * The messages of Velero's plugins on the wire (spec plugin-protocol.md §3, §6), as descriptors in code, so that no `.proto` file has to be
 * found at run time.
 */
type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;
type Methods = Readonly<Record<string, readonly [request: string, response: string, stream?: 'in' | 'out']>>;

function message(fields: Fields): object {
  const entries = Object.entries(fields).map(([name, [type, id, rule]]) => [
    name,
    { type, id, ...(rule === undefined ? {} : { rule }) },
  ]);
  return { fields: Object.fromEntries(entries) as object };
}

function mapField(id: number): object {
  return { keyType: 'string', type: 'string', id };
}

function service(methods: Methods): object {
  const entries = Object.entries(methods).map(([name, [requestType, responseType, stream]]) => [
    name,
    { requestType, responseType, requestStream: stream === 'in', responseStream: stream === 'out' },
  ]);
  return { methods: Object.fromEntries(entries) as object };
}

const init = { fields: { plugin: { type: 'string', id: 1 }, config: mapField(2) } };
const objectRequest = { plugin: ['string', 1], bucket: ['string', 2], key: ['string', 3] } as const;

const generated = {
  Empty: message({}),
  Stack: message({ frames: ['StackFrame', 1, 'repeated'] }),
  StackFrame: message({ file: ['string', 1], line: ['int32', 2], function: ['string', 3] }),
  ResourceIdentifier: message({
    group: ['string', 1],
    resource: ['string', 2],
    namespace: ['string', 3],
    name: ['string', 4],
  }),
  ResourceSelector: message({
    includedNamespaces: ['string', 1, 'repeated'],
    excludedNamespaces: ['string', 2, 'repeated'],
    includedResources: ['string', 3, 'repeated'],
    excludedResources: ['string', 4, 'repeated'],
    selector: ['string', 5],
  }),
  OperationProgress: message({
    completed: ['bool', 1],
    err: ['string', 2],
    nCompleted: ['int64', 3],
    nTotal: ['int64', 4],
    operationUnits: ['string', 5],
    description: ['string', 6],
    started: ['google.protobuf.Timestamp', 7],
    updated: ['google.protobuf.Timestamp', 8],
  }),
  PluginIdentifier: message({ command: ['string', 1], kind: ['string', 2], name: ['string', 3] }),
  ListPluginsResponse: message({ plugins: ['PluginIdentifier', 1, 'repeated'] }),
  PluginLister: service({ ListPlugins: ['Empty', 'ListPluginsResponse'] }),
  AppliesToRequest: message({ plugin: ['string', 1] }),
  AppliesToResponse: message({ ResourceSelector: ['ResourceSelector', 1] }),
  RestoreExecuteRequest: message({
    plugin: ['string', 1],
    item: ['bytes', 2],
    restore: ['bytes', 3],
    itemFromBackup: ['bytes', 4],
  }),
  RestoreExecuteResponse: message({
    item: ['bytes', 1],
    additionalItems: ['ResourceIdentifier', 2, 'repeated'],
    skipRestore: ['bool', 3],
  }),
  RestoreItemAction: service({
    AppliesTo: ['AppliesToRequest', 'AppliesToResponse'],
    Execute: ['RestoreExecuteRequest', 'RestoreExecuteResponse'],
  }),
  InitRequest: init,
  ObjectRequest: message(objectRequest),
  PutObjectRequest: message({ ...objectRequest, body: ['bytes', 4] }),
  ObjectExistsResponse: message({ exists: ['bool', 1] }),
  Bytes: message({ data: ['bytes', 1] }),
  ListCommonPrefixesRequest: message({
    plugin: ['string', 1],
    bucket: ['string', 2],
    delimiter: ['string', 3],
    prefix: ['string', 4],
  }),
  ListCommonPrefixesResponse: message({ prefixes: ['string', 1, 'repeated'] }),
  ListObjectsRequest: message({ plugin: ['string', 1], bucket: ['string', 2], prefix: ['string', 3] }),
  ListObjectsResponse: message({ keys: ['string', 1, 'repeated'] }),
  ObjectStore: service({
    Init: ['InitRequest', 'Empty'],
    PutObject: ['PutObjectRequest', 'Empty', 'in'],
    ObjectExists: ['ObjectRequest', 'ObjectExistsResponse'],
    GetObject: ['ObjectRequest', 'Bytes', 'out'],
    ListCommonPrefixes: ['ListCommonPrefixesRequest', 'ListCommonPrefixesResponse'],
    ListObjects: ['ListObjectsRequest', 'ListObjectsResponse'],
    DeleteObject: ['ObjectRequest', 'Empty'],
  }),
  CreateVolumeRequest: message({
    plugin: ['string', 1],
    snapshotID: ['string', 2],
    volumeType: ['string', 3],
    volumeAZ: ['string', 4],
    iops: ['int64', 5],
  }),
  CreateVolumeResponse: message({ volumeID: ['string', 1] }),
  SetVolumeIDRequest: message({ plugin: ['string', 1], persistentVolume: ['bytes', 2], volumeID: ['string', 3] }),
  SetVolumeIDResponse: message({ persistentVolume: ['bytes', 1] }),
  VolumeSnapshotter: service({
    Init: ['InitRequest', 'Empty'],
    CreateVolumeFromSnapshot: ['CreateVolumeRequest', 'CreateVolumeResponse'],
    SetVolumeID: ['SetVolumeIDRequest', 'SetVolumeIDResponse'],
  }),
};

const v2 = {
  OperationRequest: message({ plugin: ['string', 1], operationID: ['string', 2], restore: ['bytes', 3] }),
  RestoreExecuteResponse: message({
    item: ['bytes', 1],
    additionalItems: ['generated.ResourceIdentifier', 2, 'repeated'],
    skipRestore: ['bool', 3],
    operationID: ['string', 4],
    waitForAdditionalItems: ['bool', 5],
    additionalItemsReadyTimeout: ['google.protobuf.Duration', 6],
  }),
  ProgressResponse: message({ progress: ['generated.OperationProgress', 1] }),
  AreAdditionalItemsReadyRequest: message({
    plugin: ['string', 1],
    restore: ['bytes', 2],
    additionalItems: ['generated.ResourceIdentifier', 3, 'repeated'],
  }),
  AreAdditionalItemsReadyResponse: message({ ready: ['bool', 1] }),
  RestoreItemAction: service({
    AppliesTo: ['generated.AppliesToRequest', 'generated.AppliesToResponse'],
    Execute: ['generated.RestoreExecuteRequest', 'RestoreExecuteResponse'],
    Progress: ['OperationRequest', 'ProgressResponse'],
    Cancel: ['OperationRequest', 'generated.Empty'],
    AreAdditionalItemsReady: ['AreAdditionalItemsReadyRequest', 'AreAdditionalItemsReadyResponse'],
  }),
};

const goPlugin = {
  Empty: message({}),
  StdioData: message({ channel: ['int32', 1], data: ['bytes', 2] }),
  GRPCStdio: service({ StreamStdio: ['Empty', 'StdioData', 'out'] }),
  GRPCController: service({ Shutdown: ['Empty', 'Empty'] }),
};

const google = {
  protobuf: {
    nested: {
      Timestamp: message({ seconds: ['int64', 1], nanos: ['int32', 2] }),
      Duration: message({ seconds: ['int64', 1], nanos: ['int32', 2] }),
    },
  },
};

const namespaces = { generated: { nested: generated }, v2: { nested: v2 }, plugin: { nested: goPlugin } };

const definitions: PackageDefinition = fromJSON(
  { nested: { ...namespaces, google: { nested: google } } } as Parameters<typeof fromJSON>[0],
  // Absent messages stay absent, scalars get their zero values; integers beyond 2^53 stay exact as text.
  { keepCase: true, longs: String, defaults: true, arrays: true },
);

export type ServiceName =
  | 'generated.PluginLister'
  | 'generated.RestoreItemAction'
  | 'v2.RestoreItemAction'
  | 'generated.ObjectStore'
  | 'generated.VolumeSnapshotter'
  | 'plugin.GRPCStdio'
  | 'plugin.GRPCController';

/** How a method's messages are written and read. @throws Error for a method that is not in this file */
export function methodOf(name: ServiceName, method: string): MethodDefinition<object, object> {
  const found = (definitions[name] as Readonly<Record<string, MethodDefinition<object, object>>> | undefined)?.[method];
  if (found === undefined) throw new Error(`${name} has no method ${method}`);
  return found;
}
