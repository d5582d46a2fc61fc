/**
 * Reads the search attributes that deploy/compose/setup-namespace.sh registers.
 * @param script text of the script
 * @returns type by name
 * @throws Error when the script has no list `search_attributes='…'` of lines NAME=TYPE
 */
export function searchAttributesOf(script: string): Record<string, string> {
  const list = /^search_attributes='\n([^']*)'$/m.exec(script)?.[1];
  if (list === undefined) {
    throw new Error("setup-namespace.sh: expected a list search_attributes='…'");
  }
  const attributes: Record<string, string> = {};
  for (const line of list.split('\n').filter((text) => text !== '')) {
    const [name, type] = line.split('=');
    if (name === undefined || type === undefined) {
      throw new Error(`setup-namespace.sh: search_attributes has the line ${JSON.stringify(line)}, expected NAME=TYPE`);
    }
    attributes[name] = type;
  }
  return attributes;
}
