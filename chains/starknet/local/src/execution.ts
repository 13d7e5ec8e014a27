/** Executes a transaction: the account's calls in order, their cost, and what remains if one of them fails. */
import { type Contract, type Emitted, hex, Revert } from './contracts.ts'
import { type Cells, Draft } from './ledger.ts'
import type { GasRule } from './plan.ts'

export interface Ran {
  events: Emitted[]
  /** Why everything was reverted; null if it succeeded. */
  reverted: string | null
  gas: Gas
}

interface Gas {
  l2: bigint
  data: bigint
}

const BASE_DATA = 128n
const CALL_DATA = 128n

export interface Part {
  /** The account that makes the calls. */
  as: bigint
  calls: readonly CallOf[]
}

export interface CallOf {
  to: bigint
  name: bigint
  calldata: readonly bigint[]
}

/** Runs the calls on `cells`: all take effect, or none. */
export function run(
  contracts: ReadonlyMap<bigint, Contract>,
  cells: Draft,
  parts: readonly Part[],
  rule: GasRule,
): Ran {
  const events: Emitted[] = []
  const trial = new Draft((name) => cells.get(name))
  const count = BigInt(parts.reduce((sum, { calls }) => sum + calls.length, 0))
  const gas = { l2: BigInt(rule.validate) + count * BigInt(rule.call), data: BASE_DATA + count * CALL_DATA }
  try {
    for (const { as, calls } of parts) {
      for (const { to, name, calldata } of calls)
        callContract({ contracts, cells: trial, events }, as, to, name, calldata)
    }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    return { events: [], reverted: error.message, gas }
  }
  trial.keep((name, value) => cells.set(name, value))
  return { events, reverted: null, gas }
}

interface Running {
  contracts: ReadonlyMap<bigint, Contract>
  cells: Cells
  events: Emitted[]
}

export function callContract(
  running: Running,
  caller: bigint,
  to: bigint,
  name: bigint,
  calldata: readonly bigint[],
): bigint[] {
  const contract = running.contracts.get(to)
  if (!contract) throw new Revert(`Requested contract address ${hex(to)} is not deployed`)
  return contract(
    {
      cells: running.cells,
      caller,
      self: to,
      emit: (event) => void running.events.push({ from_address: hex(to), ...event }),
      call: (next, inner, args) => callContract(running, to, next, inner, args),
    },
    name,
    calldata,
  )
}

/** The calls in an account's calldata, as accounts of Cairo 1 read them. */
export function callsIn(calldata: readonly bigint[]): CallOf[] {
  const [count = 0n] = calldata
  const calls: CallOf[] = []
  let place = 1
  for (let number = 0n; number < count; number++) {
    const [to, name, length] = calldata.slice(place, place + 3)
    if (to === undefined || name === undefined || length === undefined)
      throw new Revert('Failed to deserialize param #1')
    place += 3
    calls.push({ to, name, calldata: calldata.slice(place, place + Number(length)) })
    place += Number(length)
  }
  if (place !== calldata.length) throw new Revert('Input too long for arguments')
  return calls
}
