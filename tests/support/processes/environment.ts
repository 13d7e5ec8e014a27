/** The environment of a program that a test starts without the suites' own environment. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  // The compile cache only makes a start faster.
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) }
}
