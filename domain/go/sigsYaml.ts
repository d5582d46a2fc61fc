import type { YAMLError } from 'yaml';
import { parseAllDocuments, type ScalarTag, type Tags } from 'yaml';
import type { Json } from '../json.ts';

/** Thrown for a text that is no YAML, or YAML that is no JSON. The message holds no part of the text. */
export class SigsYamlError extends Error {
  readonly type = 'SigsYaml';
  constructor(message: string) {
    super(message);
    this.name = 'SigsYamlError';
  }
}

const INT = 'tag:yaml.org,2002:int';
const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/** `0o7` is of YAML 1.2, and Go's parser knows it too. */
const octal: ScalarTag = {
  identify: (value) => typeof value === 'bigint',
  default: true,
  tag: INT,
  test: /^0o[0-7]+$/,
  resolve: (text) => BigInt(text),
};

/** Go's parser leaves times and numbers to the base of sixty as texts. */
function goTags(tags: Tags): Tags {
  const known = tags.filter((tag) => {
    return typeof tag === 'string' || (tag.tag !== TIMESTAMP && !('format' in tag && tag.format === 'TIME'));
  });
  return [octal, ...known];
}

/**
 * Reads YAML (and JSON, which is YAML) as sigs.k8s.io/yaml does: YAML 1.1, so that `yes` and `on` are truth values; times stay text; only
 * the first document counts; a key that occurs twice is an error; integers keep every digit. Empty text is null.
 * @throws SigsYamlError naming line and column.
 */
export function parseSigsYaml(text: string): Json {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: goTags,
    intAsBigInt: true,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const document = 'empty' in documents ? undefined : documents[0];
  const error = document?.errors[0];
  if (error !== undefined) throw new SigsYamlError(describe(error));
  try {
    return toJson(document?.toJS(), '');
  } catch (cause) {
    // An alias that is not there, or a document that grows without end through aliases.
    if (cause instanceof ReferenceError) throw new SigsYamlError(cause.message);
    throw cause;
  }
}

function describe({ code, linePos }: YAMLError): string {
  const place = linePos === undefined ? '' : `line ${linePos[0].line}, column ${linePos[0].col}: `;
  return `${place}${CODES[code] ?? code}`;
}

/** The library's own messages quote the text, which may be a Secret's. */
const CODES: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'an alias without a name',
  BAD_INDENT: 'wrong indentation',
  BAD_PROP_ORDER: 'anchors and tags have to stand before what they belong to',
  BAD_SCALAR_START: 'a text may not begin with this character',
  BLOCK_AS_IMPLICIT_KEY: 'a map inside of a key: a colon in a text without quotes?',
  BLOCK_IN_FLOW: 'a block inside of brackets',
  DUPLICATE_KEY: 'a key that occurs twice in its map',
  IMPOSSIBLE: 'no YAML',
  KEY_OVER_1024_CHARS: 'a key of more than 1024 characters',
  MISSING_CHAR: 'a character is missing: a bracket, quote or comma',
  MULTILINE_IMPLICIT_KEY: 'a key over several lines: a colon is missing',
  TAB_AS_INDENT: 'a tab as indentation',
  TAG_RESOLVE_FAILED: 'an unknown tag',
  UNEXPECTED_TOKEN: 'something that does not belong here',
};

function toJson(value: unknown, path: string): Json {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new SigsYamlError(`${path || 'document'}: ${String(value)} is no JSON number`);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((entry: unknown, index) => toJson(entry, `${path}[${index}]`));
      return Object.fromEntries(
        Object.entries(value).map(([key, entry]) => [key, toJson(entry, path === '' ? key : `${path}.${key}`)]),
      );
    default:
      throw new SigsYamlError(`${path || 'document'}: a ${typeof value}, which is no JSON value`);
  }
}
