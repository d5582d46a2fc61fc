/** This process's environment without the variables by which a server takes settings that were meant for others. */
export function environmentWithout(prefix: string): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith(prefix)));
}
