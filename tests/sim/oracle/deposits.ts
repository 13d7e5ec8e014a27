/**
 * Rules for deposits: each matches the chain, belongs to the swap that it names, and is credited only with the
 * confirmations that its value needs.
 */
import { parseDecimalReference, type Token } from '@causeway/core'
import type { DepositEntry, SwapEntry } from './commit-record.ts'
import { depositsOf } from './commit-record.ts'
import type { Depths } from './landed.ts'
import {
  type Commit,
  moveOf,
  numberOf,
  type OracleState,
  pricesKnown,
  reportViolation,
  tierOf,
  tokenOf,
  transactionOf,
} from './oracle-state.ts'
import { usdOf } from './terms.ts'

export function judgeDeposit(oracle: OracleState, commit: Commit, deposit: DepositEntry, depths: Depths): void {
  const before = commit.depositsBefore.get(deposit.id)
  const number = numberOf(oracle, deposit.swapId)
  const must = (holds: boolean, what: string) => void (holds || reportViolation(oracle, what, number))
  const isFirst = before === undefined
  const name = `the deposit ${deposit.hash.slice(0, 8)}/${deposit.index}`
  if (isFirst) oracle.depths.set(deposit.id, depthFor(oracle, commit, deposit))
  const move = moveOf(oracle, deposit)
  if (isFirst || (deposit.state === 'confirmed' && before.state !== 'confirmed')) {
    must(move !== null, `${name} was never made`)
    // A process that read it before it was re-mined with other content learns that at its next read.
    const otherwise = deposit.index === 0 ? (oracle.world.shown.get(deposit.hash) ?? []) : []
    const shown = [...(move ? [move] : []), ...otherwise].filter(
      ({ to, contract, units }) =>
        to === deposit.to && (contract ?? 'native') === deposit.token && units === deposit.units,
    )
    must(move === null || shown.length > 0, `${name} is taken for ${deposit.units} of ${deposit.token}`)
    const isFrom = shown.length === 0 || shown.some(({ from }) => from === deposit.from)
    must(deposit.from === null || isFrom, `${name} is taken for somebody else's`)
  }
  if (deposit.swapId !== null && before?.swapId !== deposit.swapId && deposit.resolution === null)
    must(ownersOf(oracle, deposit).includes(deposit.swapId), `${name} was given to a swap that it does not name`)
  if (deposit.state === 'confirmed' && before?.state !== 'confirmed' && deposit.resolution === null)
    judgeDepth(oracle, commit, deposit, depths)
}

function judgeDepth(oracle: OracleState, { life }: Commit, deposit: DepositEntry, depths: Depths): void {
  const { network, hash } = deposit
  const deepest = depths.deepest(network, hash) + (life.nodes.get(network)?.lead() ?? 0)
  const wanted = oracle.rules.tierOfSum ? depthOfSum(oracle, deposit, depths) : (oracle.depths.get(deposit.id) ?? 0)
  if (deepest < wanted)
    reportViolation(
      oracle,
      `the deposit ${hash.slice(0, 8)} counts at ${deepest} confirmations of ${wanted}`,
      numberOf(oracle, deposit.swapId),
    )
}

/** By its value to the process that saw it first. Without a price it may have any value. */
function depthFor(oracle: OracleState, { life }: Commit, { network, token, units }: DepositEntry): number {
  const listed = tokenOf(oracle, network, token)
  const price = listed && life.services.market.price(listed)
  const place = oracle.world.base.catalogue.network(network)
  return tierOf(place, listed && price ? usdOf(listed, units, price) : null)
}

/** The tier of all the swap's money that is mined but not final: mempool money is no risk. */
function depthOfSum(oracle: OracleState, deposit: DepositEntry, depths: Depths): number {
  const place = oracle.world.base.catalogue.network(deposit.network)
  const own = deposit.swapId === null ? [deposit] : depositsOf(oracle.record, deposit.swapId)
  const young = own.filter(
    ({ state, isMined, hash, network }) =>
      (state === 'seen' || state === 'confirmed') && isMined && depths.deepest(network, hash) < place.finalDepth,
  )
  const units = young.reduce((sum, other) => sum + other.units, 0n)
  const listed = tokenOf(oracle, deposit.network, deposit.token)
  const price = listed && leastPrice(oracle, listed)
  return tierOf(place, listed && price ? usdOf(listed, units, price) : null)
}

/** The owner: by the reference in the memo, or by the deposit address. */
function ownersOf(oracle: OracleState, deposit: DepositEntry): string[] {
  const { record, world, rules } = oracle
  const source = `${deposit.network}/${deposit.token}`
  const swaps = [...record.swaps.values()].filter((swap) => swap.source === source && swap.receiver === deposit.to)
  if (deposit.to === world.base.chains.get(deposit.network)?.treasury) {
    const transaction = transactionOf(oracle, deposit.network, deposit.hash)
    const memo = transaction?.moves.length === 1 ? transaction.memo : null
    const number = memo ? parseDecimalReference(memo) : null
    return swaps.filter((swap) => !swap.usesDepositAddress && number === BigInt(swap.number)).map(({ id }) => id)
  }
  const newest = (some: SwapEntry[]) => some.toSorted((a, b) => b.ordinal - a.ordinal).slice(0, 1)
  const waiting = swaps.filter(({ status }) => status === 'user_transfer_pending')
  const equal = waiting.filter(({ id }) => oracle.terms.get(id)?.requestedUnits === deposit.units)
  const chosen =
    rules.matchesEqualAmount && equal.length > 0 ? newest(equal) : newest(waiting.length > 0 ? waiting : swaps)
  return chosen.map(({ id }) => id)
}

/** The lowest price that any process knows: the deciding process knew no lower one. */
function leastPrice({ world }: OracleState, token: Token): bigint | null {
  const known = world.processes.flatMap(({ life }) => pricesKnown(life, token))
  return known.reduce<bigint | null>((least, price) => (least === null || price < least ? price : least), null)
}
