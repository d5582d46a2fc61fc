import { LabelSelectorError, labelSelectorMatcher } from '../kubernetes/labelSelector.ts';
import type { LabelSelector } from '../restore/restore.ts';

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/** A label selector as kubectl prints it: `app=web,tier in (a,b),!debug`; `<none>` for one that selects all, `<error>` for an unreadable one. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return '<none>';
  if (!isReadable(selector)) return '<error>';
  const requirements = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((expression) => ({
      key: expression.key,
      text: formatExpression(expression),
    })),
  ];
  requirements.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  return requirements.map(({ text }) => text).join(',') || '<none>';
}

function isReadable(selector: LabelSelector): boolean {
  try {
    labelSelectorMatcher(selector);
    return true;
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

function formatExpression({ key, operator, values = [] }: Expression): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${[...values].sort().join(',')})`;
  }
}
