import { ActionError } from './actionError.ts';

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_PREFIX = 253;

/**
 * A plugin's registered name: exactly one `/`, a DNS subdomain before it and any text behind it (spec plugin-protocol.md §5).
 * @throws ActionError `ActionNameInvalid`
 */
export function checkActionName(name: string): void {
  const [prefix = '', rest = '', ...more] = name.split('/');
  const isValid = rest !== '' && more.length === 0 && prefix.length <= MAX_PREFIX && DNS_SUBDOMAIN.test(prefix);
  if (isValid) return;
  throw new ActionError(
    'ActionNameInvalid',
    `name ${JSON.stringify(name)}: expected <DNS subdomain in lower case>/<name>, e.g. example.com/my-action`,
  );
}
