/** Finds cycles of an import graph. */

/** Each cycle as a path: `a → b → a`. */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const walked = new Set<string>()
  function walk(file: string, path: readonly string[]): void {
    const begins = path.indexOf(file)
    if (begins >= 0) circles.push([...path.slice(begins), file].join(' → '))
    if (begins >= 0 || walked.has(file)) return
    for (const target of imports.get(file) ?? []) walk(target, [...path, file])
    walked.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return circles
}
