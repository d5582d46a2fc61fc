import type { Json } from '../json.ts';
import { parseJson } from '../jsonText.ts';
import { ModifierError } from './modifierError.ts';

export interface PatchValue {
  /** JSON text. */
  readonly text: string;
  readonly parsed: Json;
}

/** What Go's `strconv.ParseFloat` takes for a number; JSON does not know all of it. */
const GO_NUMBER =
  /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)p[+-]?\d+|inf(?:inity)?)$|^nan$/i;
/** Go allows underscores between digits. */
const UNDERSCORE = /(?<=[\da-fx])_(?=[\da-f])/gi;

/**
 * What the text of a patch's `value` means (spec restore-pipeline.md §16): empty text is an empty text; text in double quotes is the text
 * inside; `null`, truth values, numbers and whatever begins with `{` or `[` are JSON; anything else is a text. Velero puts texts into JSON
 * without escaping them, so a backslash begins an escape, and a lone quote breaks the patch.
 * @throws ModifierError for what makes no JSON, with what the user probably meant to write.
 */
export function patchValue(value: string): PatchValue {
  if (isRaw(value)) return parsed(value, value);
  const isQuoted = value.startsWith('"') && value.endsWith('"');
  const inside = isQuoted ? value.replace(/^"/, '').replace(/"$/, '') : value;
  return parsed(`"${inside}"`, value);
}

function isRaw(value: string): boolean {
  if (value === '' || (value.startsWith('"') && value.endsWith('"'))) return false;
  return value === 'null' || /^(?:true|false)$/i.test(value) || /^[{[]/.test(value) || isGoNumber(value);
}

function isGoNumber(value: string): boolean {
  const number = value.replaceAll(UNDERSCORE, '');
  if (!GO_NUMBER.test(number)) return false;
  if (/^[+-]?(?:inf|nan)/i.test(value)) return true;
  // Beyond a double Go's parser fails, and Velero makes a text of it.
  return /x/i.test(value) || Number.isFinite(Number(number));
}

function parsed(text: string, written: string): PatchValue {
  try {
    return { text, parsed: parseJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new ModifierError('ModifiersInvalid', `the value makes no JSON: ${advice(written)}`);
  }
}

function advice(written: string): string {
  if (/^(?:true|false)$/i.test(written)) {
    const lower = written.toLowerCase();
    return `write ${lower} for the truth value, or "\\"${written}\\"" for the text`;
  }
  if (/^[{[]/.test(written)) return 'what begins with { or [ has to be a JSON object or list';
  if (isGoNumber(written))
    return 'it is a number for Go but not for JSON; to set a text, put escaped quotes around it: "\\"…\\""';
  return 'quotes, backslashes and line breaks inside of a text have to be escaped as in JSON';
}
