/**
 * Compares the answer of a local chain with a recorded answer of a real node: the recorded fields must be present, with
 * the same JSON types and encodings. Values may differ.
 */

/** Encodings of strings, the most specific first. */
const ENCODINGS: readonly (readonly [name: string, form: RegExp])[] = [
  ['0x hex', /^0x[0-9a-f]*$/],
  ['decimal integer', /^-?\d+$/],
  ['decimal fraction', /^-?\d+\.\d+$/],
  ['time', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
  ['lower-case hex', /^([0-9a-f]{2}){10,}$/],
  ['upper-case hex', /^([0-9A-F]{2}){10,}$/],
]

/**
 * The paths at which `double` differs from `recorded`, as `block.header.time: missing`. `except` names paths that may
 * differ, each with its reason. Of lists the first elements are compared.
 */
export function shapeDifferences(
  recorded: unknown,
  double: unknown,
  except: Readonly<Record<string, string>> = {},
): string[] {
  const found: string[] = []
  compare('', recorded, double, (path, problem) => {
    if (!(path in except)) found.push(`${path}: ${problem}`)
  })
  return found
}

type Report = (path: string, problem: string) => void

function compare(path: string, recorded: unknown, double: unknown, report: Report): void {
  if (recorded === null) return
  const [wanted, given] = [kindOf(recorded), kindOf(double)]
  if (wanted !== given) {
    report(path, given === 'undefined' ? 'missing' : `${given} instead of ${wanted}`)
  } else if (typeof recorded === 'string' && typeof double === 'string') {
    compareText(path, recorded, double, report)
  } else if (Array.isArray(recorded) && Array.isArray(double)) {
    if (recorded.length > 0 && double.length > 0) compare(`${path}[0]`, recorded[0], double[0], report)
  } else if (wanted === 'object') {
    const fields = double as Record<string, unknown>
    for (const [name, value] of Object.entries(recorded as Record<string, unknown>)) {
      compare(path === '' ? name : `${path}.${name}`, value, fields[name], report)
    }
  }
}

function compareText(path: string, recorded: string, double: string, report: Report): void {
  if (recorded === '' || double === '') return
  const [name, form] = ENCODINGS.find(([, each]) => each.test(recorded)) ?? ['text', /^/]
  if (!form.test(double)) report(path, `"${double.slice(0, 40)}" is not ${name}`)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
