/**
 * Reads the search attributes that deploy/compose/setup-namespace.sh registers.
 * @param script text of the script
 * @returns type by name
 * @throws Error when the script has no list `search_attributes='…'` of words NAME=TYPE
 */
export function searchAttributesOf(script: string): Record<string, string> {
  const list = /^search_attributes='([^']*)'$/m.exec(script)?.[1];
  if (list === undefined) {
    throw new Error("setup-namespace.sh: expected a list search_attributes='…'");
  }
  const attributes: Record<string, string> = {};
  for (const word of list.split(' ')) {
    const [name, type] = word.split('=');
    if (name === undefined || type === undefined) {
      throw new Error(`setup-namespace.sh: search_attributes has the word ${JSON.stringify(word)}, expected NAME=TYPE`);
    }
    attributes[name] = type;
  }
  return attributes;
}
