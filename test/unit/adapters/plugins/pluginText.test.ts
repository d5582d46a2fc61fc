import { describe, expect, it } from '@jest/globals';
import { parseHandshake, pluginEnvironment } from '../../../../adapters/plugins/handshake.ts';
import { LineSplitter, LogLimiter, parseLogLine } from '../../../../adapters/plugins/pluginLog.ts';
import { pluginRestore } from '../../../../adapters/plugins/pluginRestore.ts';
import { durationMs, timestampText } from '../../../../adapters/plugins/protocolTime.ts';

describe('handshake (plugin-protocol.md §2)', () => {
  it.each([
    ['1|2|unix|/tmp/plugin123|grpc|\n', 'unix:/tmp/plugin123'],
    ['1|2|unix|/tmp/plugin123|grpc', 'unix:/tmp/plugin123'],
    ['1|2|tcp|127.0.0.1:10000|grpc|', '127.0.0.1:10000'],
    [`1|2|unix|/tmp/p|grpc|${'c'.repeat(50)}|true`, 'unix:/tmp/p'],
  ])('%j gives %s', (line, address) => {
    expect(parseHandshake(line, 'plugin')).toBe(address);
  });

  it.each([
    ['hello world', /^plugin p: unrecognized remote plugin message: "hello world"; expected 1\|2\|unix/],
    ['1|2|unix', /unrecognized remote plugin message/],
    ['2|2|unix|/tmp/p|grpc|', /incompatible core API version "2"/],
    ['1|1|unix|/tmp/p|grpc|', /incompatible API version "1", expected 2/],
    ['1|2|unix|/tmp/p', /unsupported plugin protocol "netrpc", expected grpc/],
    ['1|2|unix|/tmp/p|netrpc|', /unsupported plugin protocol "netrpc"/],
    ['1|2|udp|/tmp/p|grpc|', /unknown address type "udp"/],
    [`1|2|unix|/tmp/p|grpc|${'c'.repeat(51)}`, /it wants TLS/],
  ])('%j is refused', (line, message) => {
    expect(() => parseHandshake(line, 'p')).toThrow(message);
  });

  it('environment is the own one without what would change the protocol', () => {
    const environment = pluginEnvironment({ HOME: '/h', PLUGIN_CLIENT_CERT: 'c', PLUGIN_MULTIPLEX_GRPC: '1' }, '/s');
    expect(environment).toEqual({
      HOME: '/h',
      VELERO_PLUGIN: 'hello',
      PLUGIN_PROTOCOL_VERSIONS: '2',
      PLUGIN_MIN_PORT: '10000',
      PLUGIN_MAX_PORT: '25000',
      PLUGIN_UNIX_SOCKET_DIR: '/s',
    });
  });
});

describe('log lines (plugin-protocol.md §4)', () => {
  const json = (fields: object): string => JSON.stringify(fields);

  it.each<[string, string, string, object]>([
    [
      'a framework line',
      json({
        '@level': 'warn',
        '@message': 'm',
        level: 'warning',
        logSource: 'a.go:1',
        '@logSourceSetBy': 'plugin',
        x: 1,
      }),
      'warn',
      { logSource: 'a.go:1', x: 1 },
    ],
    [
      'a line of go-plugin itself',
      json({ '@level': 'info', '@message': 'm', '@timestamp': 't', timestamp: 't', time: 't' }),
      'info',
      {},
    ],
    ['trace', json({ '@level': 'trace', '@message': 'm' }), 'debug', {}],
    ['error', json({ '@level': 'error', '@message': 'm', error: 'e' }), 'error', { error: 'e' }],
  ])('%s', (_title, line, level, fields) => {
    expect(parseLogLine(line, false)).toEqual({ level, message: 'm', fields });
  });

  it.each([
    ['fatal has no level of ours', json({ '@level': 'fatal', '@message': 'm' }), false, 'debug', undefined],
    ['JSON without a level', json({ message: 'm' }), false, 'debug', undefined],
    ['text', 'hello', false, 'debug', undefined],
    ['text that only begins like JSON', '{hello', false, 'debug', undefined],
    ['text with a level', '[WARN] hello', false, 'warn', 'hello'],
    ['a panic', 'panic: boom', false, 'error', undefined],
    ['a fatal error', 'fatal error: all goroutines are asleep', false, 'error', undefined],
    ['what follows a panic', 'goroutine 1 [running]:', true, 'error', undefined],
  ])('%s', (_title, line, panicking, level, message) => {
    expect(parseLogLine(line, panicking)).toEqual({ level, message: message ?? line, fields: {} });
  });

  it('come from pieces of bytes, long ones in parts of 64 KiB', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    for (const part of ['one\r\nt', 'wo\n\n', 'x'.repeat(70_000), '\nlast']) splitter.add(Buffer.from(part));
    splitter.end();
    expect(lines.map((line) => (line.length > 10 ? line.length : line))).toEqual(['one', 'two', 65_536, 4_464, 'last']);
  });

  it('beyond 200 in a second are counted, not told', () => {
    const told: string[] = [];
    let now = 1_000;
    const limiter = new LogLimiter(
      (_level, message) => told.push(message),
      () => now,
    );
    const line = { level: 'info', message: 'line', fields: {} } as const;
    for (let count = 0; count < 1_000; count++) limiter.add(line);
    expect(told).toHaveLength(200);
    now = 2_000;
    limiter.add(line);
    expect(told.slice(200)).toEqual(['800 lines were left out: the plugin logs too much', 'line']);
  });
});

describe('values on the wire', () => {
  it.each([
    [undefined, 0],
    [null, 0],
    [{ seconds: '90', nanos: 500_000_000 }, 90_500],
    [{ seconds: '-5', nanos: 0 }, -5_000],
  ])('duration %j is %d ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  it.each([
    ['missing', undefined, undefined],
    ["Go's zero time", { seconds: '-62135596800', nanos: 0 }, undefined],
    ['1970 counts as set', { seconds: '0', nanos: 0 }, '1970-01-01T00:00:00.000Z'],
    ['a moment', { seconds: '1767225600', nanos: 5_000_000 }, '2026-01-01T00:00:00.005Z'],
  ])('timestamp: %s', (_title, timestamp, text) => {
    expect(timestampText(timestamp)).toBe(text);
  });

  it('the Restore is as the controller holds it (§7)', () => {
    const restore = {
      name: 'r',
      namespace: 'velero',
      uid: 'u',
      spec: { backupName: 'b', excludedResources: ['nodes'] },
    };
    expect(pluginRestore(restore)).toEqual({
      apiVersion: 'velero.io/v1',
      kind: 'Restore',
      metadata: { name: 'r', namespace: 'velero', uid: 'u' },
      spec: { backupName: 'b', excludedResources: ['nodes'], itemOperationTimeout: '4h0m0s' },
      status: { phase: 'InProgress' },
    });
  });
});
