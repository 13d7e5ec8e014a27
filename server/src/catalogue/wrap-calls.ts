/** Wraps the asynchronous calls of an adapter and of its capabilities, and leaves everything else unchanged. */
import type { Capabilities, ChainAdapter } from '@causeway/core'

type AsyncNames<Part> = {
  [Name in keyof Part]-?: NonNullable<Part[Name]> extends (...given: never) => Promise<unknown> ? Name : never
}[keyof Part]

type CallsOf<Part, Value> = Readonly<Record<AsyncNames<Part>, Value | null>>

type AsyncCapability = {
  [Name in keyof Capabilities]-?: [AsyncNames<NonNullable<Capabilities[Name]>>] extends [never] ? never : Name
}[keyof Capabilities]

/**
 * A value for every asynchronous call of the port; null leaves the call unchanged. The type demands each of them, so a
 * new call or capability does not compile until its wrapping is decided.
 */
export type CallTable<Value> = CallsOf<ChainAdapter, Value> & {
  readonly [Name in AsyncCapability]: CallsOf<NonNullable<Capabilities[Name]>, Value>
}

type Call = (...given: unknown[]) => Promise<unknown>

export function wrapCalls<Value>(
  chain: ChainAdapter,
  table: CallTable<Value>,
  wrap: (call: Call, value: Value) => Call,
): ChainAdapter {
  return wrapPart(chain, table) as ChainAdapter

  function wrapPart(part: object, values: object): object {
    const wrapped: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(values)) {
      const member: unknown = Reflect.get(part, name)
      if (value === null || member === undefined) continue
      if (typeof member === 'object' && member !== null) wrapped[name] = wrapPart(member, value)
      else wrapped[name] = wrap((...given) => Reflect.apply(member as Call, part, given), value)
    }
    return { ...part, ...wrapped }
  }
}
