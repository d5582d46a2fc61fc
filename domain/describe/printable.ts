/** Control characters, which a terminal would obey, and line ends of any kind. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u2028\u2029]/gu;
const LINE_END = /\s*[\r\n\u2028\u2029]+\s*/gu;

/**
 * Text from elsewhere (API servers, webhooks, plugins, users) as it may go to a terminal: on one line, control characters
 * written as `\u001b`.
 */
export function printable(text: string): string {
  return text
    .trim()
    .replace(LINE_END, ' ')
    .replace(UNPRINTABLE, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** RFC 3339 as Velero prints times, in UTC: `2026-05-04 08:00:00 +0000 UTC`; `<n/a>` for none. */
export function printTime(time: string | undefined): string {
  if (time === undefined) return '<n/a>';
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) return printable(time);
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
