import { LabelSelectorError, parseLabelSelector } from '../kubernetes/labelSelector.ts';
import { invalidFlag } from './flagValues.ts';
import type { LabelSelector } from './restore.ts';

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/** Commas outside of parentheses. */
const REQUIREMENT_END = /,(?![^(]*\))/;
const SET_REQUIREMENT = /^(\S+)\s+(in|notin)\s*\((.*)\)$/s;
const COMPARISON = /^([^=!<>\s]+)\s*(==|=|!=|<|>)\s*(.*)$/s;

/**
 * The label selector that `--selector` means: `a=b,c in (d,e),!f`. Equalities become `matchLabels`.
 * @throws RestoreFlagsError for text that is no selector, and for `!=`, `<` and `>`, which a Restore cannot express.
 */
export function parseSelectorFlag(flag: string, text: string): LabelSelector {
  checkSyntax(flag, text);
  const matchLabels: Record<string, string> = {};
  const matchExpressions: Expression[] = [];
  for (const requirement of text.split(REQUIREMENT_END).map((part) => part.trim())) {
    if (requirement === '') continue;
    const comparison = COMPARISON.exec(requirement);
    if (comparison === null) {
      matchExpressions.push(toExpression(requirement));
      continue;
    }
    const [, key = '', operator = '', value = ''] = comparison;
    if (operator !== '=' && operator !== '==') {
      throw invalidFlag(flag, text, `"${operator}" is not a valid label selector operator`);
    }
    matchLabels[key] = value;
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

/** Selectors joined by ` or `. @throws RestoreFlagsError */
export function parseOrSelectorFlag(flag: string, text: string): LabelSelector[] {
  return text.split(' or ').map((selector) => parseSelectorFlag(flag, selector));
}

function checkSyntax(flag: string, text: string): void {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    throw invalidFlag(flag, text, error.message);
  }
}

/** The text is known to be a valid requirement of one of these forms. */
function toExpression(requirement: string): Expression {
  const set = SET_REQUIREMENT.exec(requirement);
  if (set !== null) {
    const [, key = '', operator = '', list = ''] = set;
    const values = [...new Set(list.split(',').map((value) => value.trim()))].sort();
    return { key, operator: operator === 'in' ? 'In' : 'NotIn', values };
  }
  if (requirement.startsWith('!')) return { key: requirement.slice(1).trim(), operator: 'DoesNotExist' };
  return { key: requirement, operator: 'Exists' };
}
