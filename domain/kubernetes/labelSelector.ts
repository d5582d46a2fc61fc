import type { LabelSelector } from '../restore/restore.ts';
import {
  checkLabelKey,
  checkLabelValue,
  hasLabel,
  type LabelMatcher,
  LabelSelectorError,
  labelIsIn,
  matchingAll,
  notMatching,
} from './labelRequirement.ts';

export { type LabelMatcher, LabelSelectorError } from './labelRequirement.ts';
export { parseLabelSelector } from './labelSelectorText.ts';

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/**
 * Compiles a metav1.LabelSelector: all of `matchLabels` and `matchExpressions` have to hold, an empty selector selects
 * everything. `NotIn` and `DoesNotExist` also match objects without the label.
 * @throws LabelSelectorError naming the field, for an unknown operator, missing or unwanted values, invalid keys and values.
 */
export function labelSelectorMatcher(selector: LabelSelector): LabelMatcher {
  const matchers: LabelMatcher[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    checkLabelKey('matchLabels', key);
    checkLabelValue(`matchLabels[${key}]`, value);
    matchers.push(labelIsIn(key, [value]));
  }
  for (const [index, expression] of (selector.matchExpressions ?? []).entries()) {
    matchers.push(expressionMatcher(`matchExpressions[${index}]`, expression));
  }
  return matchingAll(matchers);
}

function expressionMatcher(field: string, { key, operator, values = [] }: Expression): LabelMatcher {
  checkLabelKey(`${field}.key`, key);
  switch (operator) {
    case 'In':
      return labelIsIn(key, checkedValues(field, operator, values));
    case 'NotIn':
      return notMatching(labelIsIn(key, checkedValues(field, operator, values)));
    case 'Exists':
      checkNoValues(field, operator, values);
      return hasLabel(key);
    case 'DoesNotExist':
      checkNoValues(field, operator, values);
      return notMatching(hasLabel(key));
    default:
      throw new LabelSelectorError(`${field}.operator`, operator, 'In, NotIn, Exists or DoesNotExist');
  }
}

function checkedValues(field: string, operator: string, values: readonly string[]): readonly string[] {
  if (values.length === 0) {
    throw new LabelSelectorError(`${field}.values`, values, `at least one value for operator ${operator}`);
  }
  for (const [index, value] of values.entries()) checkLabelValue(`${field}.values[${index}]`, value);
  return values;
}

function checkNoValues(field: string, operator: string, values: readonly string[]): void {
  if (values.length > 0) throw new LabelSelectorError(`${field}.values`, values, `no values for operator ${operator}`);
}
