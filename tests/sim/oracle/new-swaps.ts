/** Judges a new swap: does it match the user's request, and is its quote right to the last unit? */
import { tokenKey } from '@causeway/core'
import type { Services } from '../../../server/src/services.ts'
import type { Change } from './journal.ts'
import { type Commit, type OracleState, reportViolation } from './oracle-state.ts'
import type { AskedFor } from './port.ts'
import { judgeReward, rewardPriceOf } from './rewards.ts'
import { factsOf, type Terms, worthOf } from './terms.ts'

/** Records a request with the market as the process knows it: its answer is compared with that. */
export function ask(oracle: OracleState, name: string, services: Services, request: AskedFor): void {
  const native = services.catalogue.network(request.destination.network).nativeToken
  oracle.asked.set(name, {
    ...request,
    withRefuel: factsOf(services, { ...request, refuel: native }),
    withoutRefuel: factsOf(services, { ...request, refuel: null }),
    spareUnits: services.market.free(native),
    rewardPrice: rewardPriceOf(services),
  })
}

export function judgeNewSwap(oracle: OracleState, { life }: Commit, { row }: Change): void {
  const asked = oracle.asked.get(life.name)
  const swap = oracle.record.swaps.get(row.id ?? '')
  if (!swap) return
  if (!asked) {
    reportViolation(oracle, 'a swap was made that nobody asked for', swap.number)
    return
  }
  const must = (holds: boolean, what: string) => void (holds || reportViolation(oracle, what, swap.number))
  const { source, destination } = asked
  const isRoute =
    swap.source === `${source.network}/${tokenKey(source)}` &&
    row.destination_network === destination.network &&
    row.destination_token === tokenKey(destination)
  must(isRoute, 'it is for another route than was asked for')
  must(swap.destinationAddress === asked.destinationAddress, 'it pays somebody else than was asked for')
  must(swap.refundAddress === asked.refundAddress, 'it refunds somebody else than was asked for')
  must(row.source_address === asked.sourceAddress, 'it takes somebody else for its sender')
  const hasRefuel = row.refuel === 'true'
  const isOffered = asked.refuel && destination.contract !== null && asked.withRefuel !== null
  must(!hasRefuel || isOffered, 'it has a refuel that nobody asked for')
  const isSpare = (asked.spareUnits ?? 0n) >= (asked.withRefuel?.refuelUnits ?? 0n)
  must(hasRefuel || !isOffered || !isSpare, 'the refuel that was asked for is missing')
  const { nativeToken } = oracle.world.base.catalogue.network(destination.network)
  const terms: Terms = {
    number: swap.number,
    id: swap.id,
    source,
    destination,
    refuel: hasRefuel ? nativeToken : null,
    requestedUnits: asked.units,
    destinationAddress: asked.destinationAddress,
    sourceAddress: asked.sourceAddress,
    refundAddress: asked.refundAddress,
    usesDepositAddress: asked.usesDepositAddress,
    receiver: swap.receiver,
    slippage: asked.slippage,
    facts: asked.units === null ? null : hasRefuel ? asked.withRefuel : asked.withoutRefuel,
  }
  oracle.terms.set(swap.id, terms)
  must(row.requested_units === (asked.units === null ? null : `${asked.units}`), 'it is for another amount')
  if (asked.units !== null) judgeQuote(oracle, terms, asked.units, row.quote ?? '{}')
  const prices = [asked.rewardPrice, rewardPriceOf(life.services)]
  judgeReward(oracle, terms, prices, row.quote_view ?? '{}', life.services.now())
}

function judgeQuote(oracle: OracleState, terms: Terms, units: bigint, text: string): void {
  const worth = terms.facts && worthOf(terms, terms.facts, oracle.world.base.config, units)
  const quote = JSON.parse(text) as { [name: string]: string }
  const wanted = worth && {
    requestedUnits: units,
    blockchainFeeUnits: worth.networkFeeUnits,
    serviceFeeUnits: worth.serviceFeeUnits,
    refuelInSourceUnits: worth.refuelInSourceUnits,
    refuelUnits: worth.refuelUnits,
    receiveUnits: worth.receiveUnits,
    minReceiveUnits: worth.minReceiveUnits,
  }
  for (const [name, value] of Object.entries(wanted ?? { receiveUnits: 0n })) {
    if (quote[name] !== `${value}`)
      reportViolation(oracle, `its quote says ${quote[name]} for ${name}, it is ${value}`, terms.number)
  }
}
