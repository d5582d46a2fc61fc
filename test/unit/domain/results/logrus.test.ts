import { describe, expect, it } from '@jest/globals';
import { type LogLevel, renderLogLine } from '../../../../domain/results/logrus.ts';
import { readFixture } from './fixture.ts';

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
