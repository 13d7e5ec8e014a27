/**
 * How a user deposits for a swap: as requested, or in one of the wrong, late, short, doubled and hostile ways of
 * `docs/rules.md`.
 */
import { contractAddress } from '../../../chains/simulated/local/src/index.ts'
import { applyEvent } from '../../../server/src/flow/swap/advance.ts'
import { addJob, hintJob } from '../../../server/src/store/db/jobs.ts'
import { runStep } from '../world/steps.ts'
import type { KnownSwap, World } from '../world/world.ts'
import { otherTokenOf, sendFromWallet, walletOf } from './wallet.ts'

const WAYS = {
  exact: 46,
  short: 3,
  parts: 8,
  onlyPart: 4,
  more: 6,
  dust: 3,
  tooMuch: 2,
  late: 6,
  twice: 6,
  nothing: 4,
  wrongToken: 3,
  unlistedToken: 2,
  wrongMemo: 4,
  severalMoves: 3,
  reverted: 2,
  cheap: 3,
} as const

/** Schedules the user's future actions. */
export function plan(world: World, swap: KnownSwap): void {
  const { random } = world
  const soon = () => random.between(0, 60_000)
  const way = random.weighted(WAYS)
  const { units } = swap
  const half = units / 2n
  const pay = (amount: bigint, options: Parameters<typeof deposit>[3] = {}) => deposit(world, swap, amount, options)
  const later = (delayMs: number, act: () => Promise<void> | void) =>
    world.intents.push({ dueMs: world.elapsedMs + delayMs, act })
  switch (way) {
    case 'exact':
      later(soon(), () => pay(units))
      break
    case 'short':
      later(soon(), () => pay(units - 1n))
      break
    case 'parts':
      later(soon(), () => pay(half))
      later(soon() * 3, () => pay(units - half))
      break
    case 'onlyPart':
      later(soon(), () => pay(half))
      break
    case 'more':
      later(soon(), () => pay(units + units / BigInt(random.between(1, 50))))
      break
    case 'dust':
      later(soon(), () => pay(BigInt(random.between(1, 1_000))))
      break
    case 'tooMuch':
      later(soon(), () => pay(units * 1_000n + 60_000n * 10n ** BigInt(swap.source.decimals)))
      break
    case 'late':
      later(swap.expiresAtMs - world.elapsedMs + soon() - 30_000, () => pay(units))
      break
    case 'twice':
      later(soon(), () => pay(units))
      later(soon() * random.pick([1, 10]), () => pay(units))
      break
    case 'wrongToken':
      later(soon(), () => pay(units, { contract: otherTokenOf(world, swap.source).contract }))
      break
    case 'unlistedToken':
      later(soon(), () => pay(units, { contract: contractAddress('a coin of nobody') }))
      break
    case 'wrongMemo':
      later(soon(), () => pay(units, { memo: random.pick([null, 'hello', '01', `${10n ** 15n}`, '-5', ' 1000001']) }))
      break
    case 'severalMoves':
      later(soon(), () => pay(units, { moves: random.between(2, 3) }))
      break
    case 'reverted':
      later(soon(), () => pay(units, { isBroke: true }))
      later(2 * soon(), () => pay(units))
      break
    case 'cheap':
      later(soon(), () => pay(units, { isCheap: true }))
      break
    case 'nothing':
      break
  }
  if (random.chance(0.08))
    later(soon(), () => deposit(world, swap, BigInt(random.between(1, 2_000)), { from: 'a stranger' }))
  if (random.chance(0.06)) later(900_000 * random.next(), () => giveAddress(world, swap))
}

/** As the deposit action says, except for the given options. */
async function deposit(
  world: World,
  swap: KnownSwap,
  units: bigint,
  options: {
    contract?: string | null
    memo?: string | null
    moves?: number
    isBroke?: boolean
    isCheap?: boolean
    from?: string
  },
): Promise<void> {
  const { random } = world
  const contract = options.contract === undefined ? swap.source.contract : options.contract
  const memo = swap.usesDepositAddress ? null : `${swap.number}`
  const to = swap.receiver
  const move = { to, contract, units }
  const hash = sendFromWallet(world, {
    network: swap.source.network,
    memo: options.memo === undefined ? memo : options.memo,
    moves: Array.from({ length: options.moves ?? 1 }, () => move),
    swap: swap.number,
    ...(options.isBroke ? { isBroke: true } : {}),
    ...(options.isCheap ? { isCheap: true } : {}),
    // Some pay from the wallet that they named when they created the swap.
    from:
      options.from ??
      (random.chance(0.5) ? `owner ${swap.number}` : `payer ${swap.number} ${world.transactions.length}`),
  })
  if (random.chance(0.15)) await speedUp(world, random.chance(0.7) ? hash : random.pick(world.transactions).hash, swap)
}

/** A client reports a transaction, its own or a foreign one, on the right network or another. */
async function speedUp(world: World, txHash: string, swap: KnownSwap): Promise<void> {
  const { random } = world
  const network = random.chance(0.9) ? swap.source.network : random.pick(['ALPHA', 'BETA', 'GAMMA'])
  await runStep(world, random.pick(world.processes), `is told of ${txHash.slice(0, 8)} on ${network}`, ({ services }) =>
    addJob(services.database, hintJob(network, txHash)),
  )
}

/** The payer of the first deposit sets its refund address; other payers' deposits are not affected. */
async function giveAddress(world: World, swap: KnownSwap): Promise<void> {
  const { address } = walletOf(world, `refunds ${swap.number}`)
  const came = await world.query<{ id: string; sender: string | null }>(
    'select id, from_address as sender from deposit where swap_id = $1 order by seen_at, tx_hash, index',
    [swap.id],
  )
  const depositIds = came.filter(({ sender }) => sender === came[0]?.sender).map(({ id }) => id)
  world.oracle.allow(depositIds, address)
  // A swap that a restored database has forgotten is rejected before anything else.
  if (world.restores > 0 && (await world.query('select from swap where id = $1', [swap.id])).length === 0) return
  await runStep(
    world,
    world.random.pick(world.processes),
    `is given a refund address for swap ${swap.number}`,
    ({ services }) => applyEvent(services, swap.id, { type: 'refund_address_given', address, depositIds }),
  )
}
