/** Users: they create swaps over every route and funding method, and then deposit as requested or in any other way. */
import { formatDecimal, fromUsd, parseDecimal, roundToDisplay, type Token } from '@causeway/core'
import { NATIVE_ADDRESS } from '../../../chains/simulated/src/address.ts'
import { createSwap } from '../../../server/src/swaps/create-swap.ts'
import { WITH_DEPOSITORY } from '../faults/storm.ts'
import { runStep } from '../world/steps.ts'
import { isForgotten, type Process, tokensOf, type World } from '../world/world.ts'
import { plan } from './deposits.ts'
import { walletOf } from './wallet.ts'

/** The share of requests with an unpayable recipient. */
const UNFIT = 0.03
/** The share of users who are customers of an app. */
const REGULAR = 0.15
/** The default slippage. */
const DEFAULT_SLIPPAGE = '0.01'

/** A user's request: any route, usually small, sometimes unwise. */
export function requestOf(world: World) {
  const { random } = world
  const number = world.swaps.length + 1
  // A customer of an app returns often, on one route, and gets the same address.
  const isRegular = world.appId !== null && random.chance(REGULAR)
  const tokens = tokensOf(world.base)
  const source = isRegular ? regularly(tokens, 'ALPHA') : random.pick(tokens)
  const destination = isRegular ? regularly(tokens, 'BETA') : random.pick(tokens.filter((token) => token !== source))
  const useDepositAddress = isRegular || (source.network !== 'GAMMA' && random.chance(0.45))
  const isOpen = useDepositAddress && random.chance(0.4)
  const units = roundToDisplay(unitsFor(world, source), source, 'down')
  const sourceAddress = random.chance(0.3) ? walletOf(world, `owner ${number}`).address : null
  const request = {
    sourceNetwork: source.network,
    sourceToken: source.symbol,
    destinationNetwork: destination.network,
    destinationToken: destination.symbol,
    refuel: random.chance(0.25),
    useDepositAddress,
    useDepository: source.network === WITH_DEPOSITORY && !useDepositAddress && random.chance(0.3),
    useGasless: false,
    amount: isOpen ? null : formatDecimal(units, source.decimals),
    slippage: random.pick([null, '0.001', '0.2']),
    destinationAddress: random.chance(UNFIT)
      ? unfitFor(world, destination)
      : walletOf(world, `recipient ${number}`).address,
    sourceAddress,
    refundAddress: random.chance(0.5) ? walletOf(world, `refunds ${number}`).address : null,
    useNewDepositAddress: random.chance(isRegular ? 0.1 : 0.5),
    referenceId: null,
    appId: isRegular ? world.appId : null,
    hasSecretKey: isRegular,
    appName: null,
    sourceExchange: null,
    destinationExchange: null,
    correlationId: null,
  }
  if (isRegular) {
    request.destinationAddress = walletOf(world, 'a regular recipient').address
    request.refundAddress = walletOf(world, 'refunds of a regular').address
  } else if (useDepositAddress && random.chance(0.2)) {
    request.destinationAddress = walletOf(world, 'the same recipient').address
    request.refundAddress = null
  }
  return { request, source, destination, units, isOpen }
}

/** A user requests a swap from one of the processes and schedules actions for it. */
export async function makeSwap(world: World, process: Process): Promise<void> {
  const { request, source, destination, units, isOpen } = requestOf(world)
  const { useDepositAddress, sourceAddress } = request
  await runStep(
    world,
    process,
    `takes an order: ${source.symbol} on ${source.network} to ${destination.network}`,
    async (life) => {
      const { services } = life
      const { silences } = world.listing
      world.oracle.ask(life, {
        source,
        destination,
        refuel: request.refuel,
        units: isOpen ? null : units,
        destinationAddress: request.destinationAddress,
        sourceAddress,
        refundAddress: request.refundAddress,
        usesDepositAddress: useDepositAddress,
        slippage: parseDecimal(request.slippage ?? DEFAULT_SLIPPAGE, 18) ?? 0n,
      })
      const { view } = await createSwap(services, request).catch((error: Error) => {
        world.refusedOrders.set(error.message, (world.refusedOrders.get(error.message) ?? 0) + 1)
        throw error
      })
      if (source.unlisted || destination.unlisted)
        world.unexpectedErrors.push('a swap was made of a token that is not listed')
      if (isUnfit(world, destination, request.destinationAddress, silences))
        world.unexpectedErrors.push(`a swap was made to ${request.destinationAddress}`)
      const swap = {
        number: Number(view.reference),
        id: view.swap.id,
        source,
        destination,
        receiver: view.receiver,
        units,
        usesDepositAddress: useDepositAddress,
        destinationAddress: request.destinationAddress,
        expiresAtMs: world.elapsedMs + services.config.depositWindowMs,
      }
      world.swaps.push(swap)
      const terms = `${isOpen ? 'any amount' : units} ${source.symbol} on ${source.network} for ${destination.symbol} on ${destination.network}`
      const ways = `${useDepositAddress ? ' to an own address' : ''}${request.refuel ? ' with refuel' : ''}${request.refundAddress ? '' : ', no refund address'}`
      world.story.tell('user', `has a swap: ${terms}${ways}`, swap.number)
      plan(world, swap)
    },
  )
}

function regularly(tokens: readonly Token[], network: string): Token {
  const found = tokens.find((token) => token.network === network && token.contract !== null)
  if (!found) throw new Error('a network without a token')
  return found
}

/** An address that must not be paid: the money would be lost or come back to us, or it is on the screening list. */
function unfitFor(world: World, destination: Token): string {
  return world.random.pick([...lostOn(world, destination), ...world.listing.listed.keys()])
}

/**
 * While the list does not answer, a swap is created anyway: the list is asked again before money leaves. A process that
 * was paused since it asked does not know later entries.
 */
function isUnfit(world: World, destination: Token, address: string, silencesBefore: number): boolean {
  const { listed, heard, silences } = world.listing
  const listedAt = listed.get(address)
  const wasListed = listedAt !== undefined && listedAt <= (heard.get(address) ?? world.elapsedMs)
  return lostOn(world, destination).includes(address) || (wasListed && silences === silencesBefore)
}

function lostOn(world: World, { network }: Token): string[] {
  const { base, swaps } = world
  // A token that no file names any more is not recognised.
  const known = base.catalogue.network(network).tokens.filter((token) => !isForgotten(world, token))
  const contracts = known.map(({ contract }) => contract ?? NATIVE_ADDRESS)
  const own = swaps.filter(({ source, usesDepositAddress }) => usesDepositAddress && source.network === network)
  return [...contracts, base.chains.get(network)?.treasury ?? '', ...own.map(({ receiver }) => receiver)]
}

/** Mostly small, so that few confirmations are needed; some of the higher tier; hardly any beyond the limits. */
function unitsFor({ random, base }: World, token: Token): bigint {
  const dollars = random.weighted({ small: 70, large: 26, huge: 4 })
  const range = { small: [5, 95], large: [101, 3_000], huge: [10_000, 60_000] } as const
  const [low, high] = range[dollars]
  const price = parseDecimal(base.prices[token.group ?? ''] ?? '1', 18) ?? 1n
  return fromUsd(
    BigInt(random.between(low, high)) * 10n ** 18n + BigInt(random.between(0, 10 ** 9)) * 10n ** 9n,
    token,
    price,
    'down',
  )
}
