const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;

export const DNS_LABEL_RULE =
  "lower case letters, digits and '-', starting and ending with a letter or digit, at most 63";
export const DNS_SUBDOMAIN_RULE =
  "lower case letters, digits, '-' and '.', each part starting and ending with a letter or digit, at most 253";

/** An RFC 1123 label, which a namespace's name has to be. */
export function isDnsLabel(text: string): boolean {
  return text.length <= LONGEST_LABEL && LABEL.test(text);
}

/** An RFC 1123 subdomain, which the names of most other objects have to be. Its parts may be longer than 63. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= LONGEST_SUBDOMAIN && text.split('.').every((part) => LABEL.test(part));
}
