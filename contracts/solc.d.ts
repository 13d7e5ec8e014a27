/** npm's solc has no types; this is the one call that the build makes. */
declare module 'solc' {
  const solc: {
    compile(input: string, callbacks: { import(name: string): { contents: string } | { error: string } }): string
  }
  export default solc
}
