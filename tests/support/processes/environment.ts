/** What a program that a test starts is given where it must not see the environment of the suites. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  // What was compiled for the suites changes nothing but how long it takes to start.
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) }
}
