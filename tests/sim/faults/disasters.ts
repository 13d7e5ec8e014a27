/** Triggers the disasters of `storm.ts` in a run, one at a time. Third-party uses of our key are recorded. */
import { catalogueOf, type Token } from '@causeway/core'
import { TREASURY_KEY } from '../../../chains/simulated/src/paying/treasury.ts'
import { decode, digestOf, encode, seal, type Transaction } from '../../../chains/simulated/src/transaction.ts'
import { listUnmatched } from '../../../server/src/store/deposits/unmatched.ts'
import { readKnown, rememberListed } from '../../../server/src/store/market/known-assets.ts'
import { testSigner } from '../../support/chains/signer.ts'
import { command } from '../people/admin-commands.ts'
import { sendFromWallet, walletOf } from '../people/wallet.ts'
import { runJob } from '../world/jobs.ts'
import { refresh } from '../world/process.ts'
import { kill, runStep } from '../world/steps.ts'
import { chainIn, type Process, rememberForeign, tokensOf, type World } from '../world/world.ts'

const HOUR_MS = 3_600_000
const A_DAY = 24
/** More than any batch of the watcher. */
const A_CROWD = 230
/** A higher fee than a payout in the same slot would ever offer. */
const DEAR = 100n

/** All nodes of a network are silent for a day, while the service keeps running. */
export async function outage(world: World): Promise<void> {
  const network = networkOf(world)
  const { downUntilMs } = world.disasters
  downUntilMs.set(network, world.elapsedMs + A_DAY * HOUR_MS)
  world.story.tell('node', `all nodes of ${network} are down for a day`)
  for (let hour = 0; hour < A_DAY; hour++) {
    world.elapsedMs += HOUR_MS
    for (const chain of world.chains.values()) chain.mine()
    for (const process of world.processes) {
      await runStep(world, process, 'reads the market', async (life) => {
        await life.services.market.refreshPrices()
        for (const listed of life.services.catalogue.networks) await refresh(life, listed).catch(() => undefined)
      })
      for (const name of world.chains.keys())
        await runStep(world, process, `watches ${name}`, async ({ watchers }) => watchers.get(name)?.turn())
      await runStep(world, process, 'keeps house', ({ housekeeper }) => housekeeper.turn())
      for (let job = 0; job < 5; job++) await runJob(world, process)
    }
  }
}

export function refuseSigning(world: World): void {
  world.disasters.refusesUntilMs = world.elapsedMs + world.random.between(10_000, 300_000)
  world.story.tell('signer', 'refuses for a while')
}

export function reportFalseFee(world: World): void {
  const network = networkOf(world)
  world.disasters.falseFeeUntilMs.set(network, world.elapsedMs + world.random.between(10_000, 120_000))
  world.story.tell('node', `reports a false fee on ${network}`)
}

/** No source knows the price of a token. It returns within two windows. */
export function losePrice(world: World): void {
  const { prices } = world.base
  const known = Object.keys(prices)
  // One token stays priced, so that swaps are still created.
  if (known.length < 2) return
  const group = world.random.pick(known)
  const price = prices[group]
  if (price === undefined) return
  delete prices[group]
  world.story.tell('market', `the price of ${group} is lost`)
  const dueMs = world.elapsedMs + world.random.between(200_000, 1_800_000)
  world.intents.push({
    dueMs,
    act: async () => {
      prices[group] ??= price
      world.story.tell('market', `the price of ${group} is back`)
    },
  })
}

/** The clock of a process is hours ahead, then right again. */
export function setClockAhead(world: World, process: Process): void {
  const { random, story } = world
  if (process.skewMs > HOUR_MS / 2) return
  const before = process.skewMs
  process.skewMs = random.between(HOUR_MS, 6 * HOUR_MS)
  story.tell('time', `the clock of ${process.name} is ${process.skewMs} ms ahead`)
  const dueMs = world.elapsedMs + random.between(60_000, 900_000)
  world.intents.push({
    dueMs,
    act: () => {
      process.skewMs = before
      story.tell('time', `the clock of ${process.name} is right again`)
    },
  })
}

/** While a payout waits to be mined, a third-party transaction with our key takes its nonce. */
export async function takeSlot(world: World): Promise<void> {
  const network = networkOf(world)
  const chain = chainIn(world, network)
  const treasury = treasuryOf(world, network)
  const nonce = chain.nonce(treasury)
  const isTaken = [...world.oracle.record.slots.values()].some(
    (slot) => slot.network === network && slot.state === 'open' && slot.parts.includes(`"${nonce}"`),
  )
  if (!isTaken) return
  const fee = DEAR * chain.feePerMove
  chain.mint(treasury, null, fee)
  const hash = await signForeign(world, network, [{ to: treasury, contract: null, units: 1n }], fee)
  rememberForeign(world, { network, hash, broughtUnits: fee })
  chain.mine()
  world.story.tell('stranger', `uses slot ${nonce} of the wallet on ${network}`)
}

/** Moves our coins to another account, once per run. */
export async function rob(world: World): Promise<void> {
  if (world.foreign.length > 0) return
  const token = world.random.pick(tokensOf(world.base))
  const chain = chainIn(world, token.network)
  const units =
    (BigInt(world.random.between(1, 5_000)) * 10n ** BigInt(token.decimals)) / (token.contract === null ? 1_000n : 1n)
  if (chain.balance(treasuryOf(world, token.network), token.contract) < 2n * units) return
  const move = { to: walletOf(world, 'a thief').address, contract: token.contract, units }
  const hash = await signForeign(world, token.network, [move], DEAR * chain.feePerMove)
  rememberForeign(world, { network: token.network, hash, broughtUnits: 0n })
  chain.mine()
  world.story.tell('thief', `takes ${units} ${token.symbol} on ${token.network}`)
}

/**
 * A reorg after which a deposit's transaction is re-mined under the same hash: with another token, receiver or amount,
 * or without a transfer.
 */
export function relandOtherwise(world: World): void {
  const { random, story } = world
  const network = networkOf(world)
  const chain = chainIn(world, network)
  const depth = random.between(1, 3)
  const sent = new Set(world.transactions.map(({ hash }) => hash))
  const young = Array.from(
    { length: depth },
    (_, back) => chain.blockAt(chain.height - back)?.transactions ?? [],
  ).flat()
  const own = young.filter(({ transaction, reverted }) => !reverted && sent.has(transaction.hash))
  if (own.length === 0) return
  const { transaction } = random.pick(own)
  const [first, ...rest] = transaction.moves
  if (!first) return
  const other = tokensOf(world.base).find((token) => token.network === network && token.contract !== first.contract)
  const way = random.pick(['token', 'receiver', 'more', 'less'] as const)
  const changed = {
    token: { ...first, contract: other?.contract ?? null },
    receiver: { ...first, to: walletOf(world, 'a stranger').address },
    more: { ...first, units: first.units + 1n },
    less: { ...first, units: first.units > 1n ? first.units / 2n : first.units },
  }[way]
  chain.reorg(depth, 'returned')
  chain.mint(changed.from, changed.contract, changed.units)
  chain.alter(transaction.hash, [changed, ...rest])
  world.shown.set(transaction.hash, [...(world.shown.get(transaction.hash) ?? []), first, changed])
  story.tell(
    'chain',
    `${network} replaces ${depth} blocks; ${transaction.hash.slice(0, 8)} returns with another ${way}`,
  )
}

/**
 * The operator delists a token, once per run, and restarts everything: mostly as documented, so that expected deposits
 * are still seen and paid; sometimes its entry is removed entirely.
 */
export async function delist(world: World): Promise<void> {
  const { disasters, base, story, random, desk } = world
  if (disasters.unlisted) return
  const gone = random.pick(tokensOf(base).filter(({ contract }) => contract !== null))
  disasters.unlisted = gone
  gone.unlisted = true
  if (random.chance(0.3)) {
    await rememberListed(desk.database, base.catalogue.networks)
    const networks = base.catalogue.networks.map((network) => ({
      ...network,
      tokens: network.tokens.filter((token) => token !== gone),
    }))
    disasters.catalogue = catalogueOf(networks, await readKnown(desk.database))
  }
  story.tell('operator', `${disasters.catalogue ? 'forgets' : 'unlists'} ${gone.symbol} on ${gone.network}`)
  for (const process of world.processes) await kill(world, process)
}

/** An operator decides about an unmatched deposit: it is assigned to a swap or returned. */
export async function decideUnmatched(world: World): Promise<void> {
  const { random, desk, oracle, story } = world
  const waiting = (await listUnmatched(desk.database, A_CROWD)).filter(({ state }) => state === 'confirmed')
  if (waiting.length === 0) return
  const deposit = random.pick(waiting)
  const fitting = world.swaps.filter(
    ({ source }) => source.network === deposit.network && (source.contract ?? 'native') === deposit.token,
  )
  if (fitting.length > 0 && random.chance(0.5)) {
    const swap = random.pick(fitting)
    story.tell('operator', `gives ${deposit.tx_hash.slice(0, 8)} to a swap`, swap.number)
    await command(world, 'unmatched', 'assign', '--deposit', deposit.id, '--swap', swap.id)
    return
  }
  const to = walletOf(world, `unmatched ${deposit.tx_hash}`).address
  oracle.allowUnmatched(deposit.id, to)
  story.tell('operator', `sends ${deposit.tx_hash.slice(0, 8)} back`)
  await command(world, 'unmatched', 'refund', '--deposit', deposit.id, '--to', to)
}

/** Hundreds of transfers in one block, with some swap's reference or with none. */
export function crowd(world: World): void {
  const { random, swaps } = world
  if (swaps.length === 0 || world.transactions.some(({ isOfCrowd }) => isOfCrowd)) return
  const swap = random.pick(swaps)
  const memo = swap.usesDepositAddress || random.chance(0.5) ? null : `${swap.number}`
  const move = { to: swap.receiver, contract: swap.source.contract, units: 1n }
  for (let one = 0; one < A_CROWD; one++) {
    sendFromWallet(world, {
      network: swap.source.network,
      memo,
      moves: [move],
      swap: null,
      from: `crowd ${one}`,
      isOfCrowd: true,
    })
  }
  chainIn(world, swap.source.network).mine()
}

async function signForeign(
  world: World,
  network: string,
  moves: readonly { to: string; contract: Token['contract']; units: bigint }[],
  fee: bigint,
): Promise<string> {
  const chain = chainIn(world, network)
  const account = treasuryOf(world, network)
  const transaction: Transaction = {
    network,
    account,
    nonce: chain.nonce(account),
    fee,
    memo: null,
    moves: moves.map((move) => ({ from: account, ...move })),
  }
  const signer = testSigner('services')
  const signature = await signer.sign(TREASURY_KEY, digestOf(transaction), { quote: 'by another hand' })
  const bytes = encode(transaction, [seal(await signer.publicKey(TREASURY_KEY), signature)])
  chain.submit(bytes)
  return decode(bytes)?.hash ?? ''
}

function treasuryOf({ base }: World, network: string): string {
  return base.chains.get(network)?.treasury ?? ''
}

function networkOf({ random, chains }: World): string {
  return random.pick([...chains.keys()])
}
