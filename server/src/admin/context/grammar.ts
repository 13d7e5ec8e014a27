/**
 * The grammar of a command: its names in order, its options and flags, and the form of each. The typed words are parsed by it
 * before anything is stored or logged, and only accepted arguments are passed on. No error repeats a value.
 */
import { parseArgs } from 'node:util'
import { hasCredentials, hasUnexplainedRandom } from './prose.ts'
import { PRIVATE_KEY, secretIn } from './secrets.ts'
import { UsageError } from './usage-error.ts'

export interface Form {
  pattern: RegExp
  /** Completes the sentence "--name is …". */
  told: string
  isOptional?: true
  /** Whether what looks random is expected here: an address, a token, a transaction. */
  mayLookRandom?: true
  /** A path, whose folders are not judged: the system names some of them at random. */
  isPath?: true
  /** Sentences, which may have links. */
  isProse?: true
}

export interface Grammar {
  names?: readonly Form[]
  options?: Readonly<Record<string, Form>>
  flags?: readonly string[]
}

/** The arguments of a command, as its grammar accepted them. */
export interface Given {
  names: string[]
  values: Record<string, string | undefined>
  flags: ReadonlySet<string>
}

export function parseWords({ names = [], options = {}, flags = [] }: Grammar, words: readonly string[]): Given {
  refuseSecrets(words)
  const strings = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]))
  const { tokens } = parseArgs({
    args: [...words],
    options: strings,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given: string[] = []
  const values = new Map<string, string>()
  const set = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'positional') given.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (values.has(name) || set.has(name)) throw new UsageError(`--${name} is given twice`)
    if (flags.includes(name) && rawName.startsWith('--')) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value`)
      set.add(name)
    } else if (Object.hasOwn(options, name) && rawName.startsWith('--')) {
      if (value === undefined || (!inlineValue && /^-(?!----BEGIN )/.test(value)))
        throw new UsageError(`--${name} needs a value; one that begins with a dash is written --${name}=…`)
      values.set(name, value)
    } else throw unknownOption(rawName, [...Object.keys(options), ...flags])
  }
  if (given.length !== names.length) throw miscounted(names.length)
  for (const [at, form] of names.entries()) check(form, names.length === 1 ? 'the name' : `name ${at + 1}`, given[at])
  for (const [name, form] of Object.entries(options)) check(form, `--${name}`, values.get(name))
  return { names: given, values: Object.fromEntries(values), flags: set }
}

/** The arguments as words that are parsed to the same: one word per option. */
export function wordsOf({ names, values, flags }: Given): string[] {
  const options = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
  return [...names, ...options, ...[...flags].map((name) => `--${name}`)]
}

/** A key itself, which is given where no file may be read. */
const PEM = /^-----BEGIN (PUBLIC|PRIVATE) KEY-----/

/** Throws if an argument names a file or a folder. */
export function refuseFiles({ names = [], options = {} }: Grammar, given: Given): void {
  const values = [
    ...names.map((form, at) => ({ form, value: given.names[at] })),
    ...Object.entries(options).map(([name, form]) => ({ form, value: given.values[name] })),
  ]
  if (values.some(({ form, value }) => form.isPath && value !== undefined && !PEM.test(value)))
    throw new UsageError(
      'a file can be named on the command line of its machine alone; in the place of a key file, give the key itself, in PEM',
    )
}

/** Throws if the words have private key material, in one of them or spread over several. */
export function refuseSecrets(words: readonly string[]): void {
  const kinds = [...words, words.join(' ')].map((text) => secretIn(text))
  const kind = kinds.find((one) => one !== null)
  if (kind === PRIVATE_KEY)
    throw secretError(`this has ${kind}; of a key, only the public half is given (openssl pkey -in FILE -pubout)`)
  if (kind) throw secretError(`this has ${kind}`)
}

/** Throws if a reason or a note has a secret, or something that may be one. */
export function refuseSecretProse(place: string, text: string): void {
  const kind = secretIn(text)
  if (kind) throw secretError(`${place} has ${kind}`)
  if (hasCredentials(text)) throw secretError(`${place} has an address with a password or a token in it`)
  if (hasUnexplainedRandom(text))
    throw secretError(
      `${place} has characters that look random, as a key or a password has. Directly in front of a hash or an id write "tx", "block" or "swap"; of an address write both ends, such as 0x1234…abcd`,
    )
}

function secretError(what: string): UsageError {
  return new UsageError(
    `${what}. Nothing is done or stored. If it is a secret, replace it: it may be kept where it was typed`,
  )
}

function check(form: Form, place: string, value?: string): void {
  const { pattern, told, isOptional } = form
  if (value === undefined || value === '') {
    if (isOptional && value === undefined) return
    throw new UsageError(`${place} is needed`)
  }
  refuseRandom(form, place, value)
  if (!pattern.test(value)) throw new UsageError(`${place} is ${told}`)
}

function refuseRandom({ told, isPath, isProse, mayLookRandom }: Form, place: string, value: string) {
  if (isProse) return refuseSecretProse(place, value)
  const name = isPath && /^(~|\.{1,2})?\//.test(value) ? value.slice(value.lastIndexOf('/') + 1) : value
  if (!mayLookRandom && (hasCredentials(value) || hasUnexplainedRandom(name)))
    throw secretError(`${place} may be a secret: it is ${told}`)
}

function unknownOption(rawName: string, known: readonly string[]): UsageError {
  const shown = /^--?[a-z][a-z-]{0,30}$/i.test(rawName) ? rawName : 'this'
  const taken = known.length === 0 ? 'it takes none' : `it takes ${known.map((name) => `--${name}`).join(', ')}`
  return new UsageError(`${shown} is no option of this command: ${taken}`)
}

function miscounted(wanted: number): UsageError {
  if (wanted === 0) return new UsageError('not understood: this command takes no names, only options')
  return new UsageError(`${wanted} ${wanted === 1 ? 'name is' : 'names are'} needed here`)
}
