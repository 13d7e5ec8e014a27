/**
 * The part of GraphQL that clients of a Fuel node use: operations with variables, aliases, fragments and `@include`.
 * Answers are cut from plain objects; a missing field is refused, as a schema would.
 */

export type Arguments = Readonly<Record<string, unknown>>
/** A resolved object. Objects name their type under `__typename`; a function is a field with arguments. */
export type Resolved = { readonly [field: string]: unknown }

interface Field {
  kind: 'field'
  alias: string
  name: string
  args: Record<string, Value>
  include: Value | null
  selections: Selection[]
}
interface Spread {
  kind: 'spread'
  name: string
}
interface Inline {
  kind: 'inline'
  type: string
  selections: Selection[]
}
type Selection = Field | Spread | Inline
type Value = { variable: string } | { literal: unknown }

export interface Operation {
  kind: 'query' | 'mutation' | 'subscription'
  selections: Selection[]
  fragments: ReadonlyMap<string, Inline>
  /** The declared types of the document's variables. */
  declared: ReadonlyMap<string, string>
}

const TOKEN = /\.\.\.|[{}()[\]:!$@=]|"[^"]*"|-?\d+(?:\.\d+)?|[_A-Za-z]\w*/g

export function parse(document: string): Operation {
  const tokens = document.replace(/#[^\n]*/g, '').match(TOKEN) ?? []
  let at = 0
  const peek = () => tokens[at]
  const next = (): string => tokens[at++] ?? fail('Unexpected end of the document')
  const want = (token: string) => {
    const found = next()
    if (found !== token) fail(`Expected ${token}, found ${found}`)
  }
  const fragments = new Map<string, Inline>()
  const declared = new Map<string, string>()
  let operation: Pick<Operation, 'kind' | 'selections'> | null = null

  function value(): Value {
    const token = next()
    if (token === '$') return { variable: next() }
    if (token.startsWith('"')) return { literal: token.slice(1, -1) }
    if (/^-?\d/.test(token)) return { literal: Number(token) }
    return { literal: token === 'true' ? true : token === 'false' ? false : token === 'null' ? null : token }
  }

  function selections(): Selection[] {
    want('{')
    const found: Selection[] = []
    while (peek() !== '}') found.push(selection())
    want('}')
    return found
  }

  function selection(): Selection {
    if (peek() === '...') {
      next()
      if (peek() !== 'on') return { kind: 'spread', name: next() }
      next()
      return { kind: 'inline', type: next(), selections: selections() }
    }
    const first = next()
    const isAliased = peek() === ':'
    if (isAliased) next()
    const name = isAliased ? next() : first
    const args: Record<string, Value> = {}
    if (peek() === '(') {
      next()
      while (peek() !== ')') {
        const argument = next()
        want(':')
        args[argument] = value()
      }
      next()
    }
    let include: Value | null = null
    if (peek() === '@') {
      next()
      for (const token of ['include', '(', 'if', ':']) want(token)
      include = value()
      want(')')
    }
    return { kind: 'field', alias: first, name, args, include, selections: peek() === '{' ? selections() : [] }
  }

  while (at < tokens.length) {
    const kind = next()
    if (kind === 'fragment') {
      const name = next()
      want('on')
      fragments.set(name, { kind: 'inline', type: next(), selections: selections() })
      continue
    }
    if (kind !== 'query' && kind !== 'mutation' && kind !== 'subscription') fail(`Unexpected ${kind}`)
    while (peek() !== '{') {
      const token = next()
      if (token !== '$') continue
      const name = next()
      want(':')
      let type = ''
      while (peek() !== '$' && peek() !== '{' && peek() !== ')') type += next()
      declared.set(name, type)
    }
    operation = { kind: kind as Operation['kind'], selections: selections() }
  }
  if (!operation) return fail('No operation')
  return { ...operation, fragments, declared }
}

const MOST_DEPTH = 16
const MOST_COMPLEXITY = 80_000
/** Fields that cost more than one, by the cost table of the public network's nodes. */
const COSTS: Record<string, number> = {
  header: 150,
  transactions: 1_500,
  transaction: 40,
  coin: 40,
  contract: 40,
  blob: 40,
}
const HEAVY: Record<string, number> = { submit: 40_001, dryRun: 12_000, coinsToSpend: 40_001, assembleTx: 76_000 }

/** Declared argument types of the fields that are queried with variables. */
const TYPES: Record<string, Record<string, string>> = {
  transaction: { id: 'TransactionId' },
  contract: { id: 'ContractId' },
  blob: { id: 'BlobId' },
  coin: { utxoId: 'UtxoId' },
  coins: { filter: 'CoinFilterInput', first: 'Int', last: 'Int', after: 'String', before: 'String' },
  blocks: { first: 'Int', last: 'Int', after: 'String', before: 'String' },
  block: { id: 'BlockId', height: 'U32' },
  estimateGasPrice: { blockHorizon: 'U32' },
  transactionsByOwner: { owner: 'Address', first: 'Int', last: 'Int', after: 'String', before: 'String' },
  balance: { owner: 'Address', assetId: 'AssetId' },
  messages: { owner: 'Address', first: 'Int', last: 'Int', after: 'String', before: 'String' },
  submit: { tx: 'HexString' },
}

/** Unions and their members, for fragments on the whole type. */
const WHOLE = new Set(['TransactionStatus', 'Input', 'Output', 'DependentCost', 'DryRunTransactionStatus', 'CoinType'])

export async function execute(operation: Operation, root: Resolved, variables: Arguments): Promise<Resolved> {
  const { fragments } = operation
  const read = (value: Value) => ('variable' in value ? (variables[value.variable] ?? null) : value.literal)
  const fieldsOf = (selections: readonly Selection[], type: string): Field[] =>
    selections.flatMap((selection) => {
      if (selection.kind === 'field') return selection.include && !read(selection.include) ? [] : [selection]
      const inner = selection.kind === 'inline' ? selection : fragments.get(selection.name)
      if (!inner) return fail(`Unknown fragment`)
      return inner.type === type || WHOLE.has(inner.type) ? fieldsOf(inner.selections, type) : []
    })
  /** Of several fragments the most expensive counts, as if all were requested. */
  const costOf = (selections: readonly Selection[], depth: number): number => {
    if (depth > MOST_DEPTH) fail('Query is nested too deep.')
    return selections.reduce((sum, selection) => {
      if (selection.kind === 'spread') return sum + costOf(fragments.get(selection.name)?.selections ?? [], depth)
      if (selection.kind === 'inline') return sum + costOf(selection.selections, depth)
      const { name, args } = selection
      for (const [argument, value] of Object.entries(args)) {
        const wanted = TYPES[name]?.[argument]
        const given = 'variable' in value ? operation.declared.get(value.variable) : wanted
        if (wanted !== undefined && given?.replace('!', '') !== wanted)
          fail(`Invalid type of "${argument}" of "${name}"`)
      }
      const own = (COSTS[name] ?? 1) + (HEAVY[name] ?? 0)
      const count = Number((args.first && read(args.first)) ?? (args.last && read(args.last)) ?? 1)
      return sum + own + Math.max(1, count) * costOf(selection.selections, depth + 1)
    }, 0)
  }
  if (costOf(operation.selections, 1) > MOST_COMPLEXITY) fail('Query is too complex.')

  async function cut(value: unknown, selections: readonly Selection[]): Promise<unknown> {
    if (value === null || value === undefined) return null
    if (Array.isArray(value)) return Promise.all(value.map((one) => cut(one, selections)))
    if (typeof value !== 'object') return value
    const object = value as Resolved
    const type = String(object.__typename)
    const answer: Record<string, unknown> = {}
    for (const field of fieldsOf(selections, type)) {
      const found = object[field.name]
      if (found === undefined) fail(`Unknown field "${field.name}" on type "${type}".`)
      const args = Object.fromEntries(Object.entries(field.args).map(([name, argument]) => [name, read(argument)]))
      const resolved: unknown = typeof found === 'function' ? await found(args) : found
      answer[field.alias] = merged(answer[field.alias], await cut(resolved, field.selections))
    }
    return answer
  }
  return (await cut(root, operation.selections)) as Resolved
}

/** Merges two results of one field, which may be requested twice with different subfields. */
function merged(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) return now.map((one, place) => merged(before[place], one))
  const areObjects = [before, now].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
  return areObjects ? { ...(before as object), ...(now as object) } : now
}

function fail(message: string): never {
  throw new Error(message)
}
