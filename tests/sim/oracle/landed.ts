/**
 * Outgoing payments, as the chains show them at every step: no double payment, no payment without an order, no second
 * signature while an earlier one may be mined, and no wallet below the ledger's lower bound.
 */
import { decode } from '../../../chains/simulated/src/transaction.ts'
import type { Life } from '../world/process.ts'
import type { World } from '../world/world.ts'
import { chainIn, missingUnits } from '../world/world.ts'
import { type AttemptEntry, type DepositEntry, type PayoutEntry, type SlotEntry, walletKey } from './commit-record.ts'
import { numberOf, type OracleState, pricesKnown, reportViolation, tierOf, tokenOf } from './oracle-state.ts'
import { nameOf } from './outputs.ts'
import { usdOf } from './terms.ts'

export interface Depths {
  /** The most confirmations that a transaction ever had. */
  deepest(network: string, hash: string): number
}

interface Seen {
  hash: string
  /** The block's transactions, of any sender. */
  hashes: string[]
  /** The payouts that the block made. */
  paid: PayoutEntry[]
}

export interface Landed extends Depths {
  purposeOf(payout: PayoutEntry): string
  look(): void
  judgeAttempt(attempt: AttemptEntry): void
  /** Judges a payout that was confirmed. */
  judgeMade(life: Life, payout: PayoutEntry): void
}

export function openLanded(oracle: OracleState): Landed {
  const { world, record } = oracle
  const branches = new Map<string, Seen[]>([...world.chains.keys()].map((network) => [network, []]))
  const tops = new Map<string, number>()
  const deepest = new Map<string, number>()
  const times = new Map<string, number>()
  /** Payouts on chain now, by their purpose. */
  const paidNow = new Map<string, PayoutEntry>()

  function look(): void {
    for (const [network, chain] of world.chains) {
      const branch = branches.get(network) ?? []
      if (branch.length === chain.height + 1 && branch.at(-1)?.hash === chain.blockAt(chain.height)?.hash) continue
      while (branch.length > 0 && chain.blockAt(branch.length - 1)?.hash !== branch.at(-1)?.hash) undo(network, branch)
      for (let height = branch.length; height <= chain.height; height++) branch.push(read(network, height))
      tops.set(network, chain.height)
    }
    judgeWallets(oracle)
  }

  function undo(network: string, branch: Seen[]): void {
    const height = branch.length - 1
    const gone = branch.pop()
    for (const hash of gone?.hashes ?? [])
      deepest.set(hash, Math.max(deepest.get(hash) ?? 0, (tops.get(network) ?? 0) - height + 1))
    for (const payout of gone?.paid ?? []) {
      const left = (times.get(purposeOf(payout)) ?? 1) - 1
      times.set(purposeOf(payout), left)
      if (left <= 0) paidNow.delete(purposeOf(payout))
    }
  }

  function read(network: string, height: number): Seen {
    const block = chainIn(world, network).blockAt(height)
    const treasury = world.base.chains.get(network)?.treasury
    const paid: PayoutEntry[] = []
    for (const { transaction, reverted } of block?.transactions ?? []) {
      if (reverted || ![treasury, world.formerWallets.get(network)].includes(transaction.account)) continue
      const attempt = record.attempts.get(transaction.hash)
      const slot = record.slots.get(attempt?.slotId ?? '')
      if (!slot) {
        if (!world.foreign.some(({ hash }) => hash === transaction.hash))
          reportViolation(oracle, `the transfer ${transaction.hash.slice(0, 8)} on ${network} was signed for nobody`)
        continue
      }
      if (attempt?.cancels) continue
      for (const id of slot.payouts) {
        const payout = record.payouts.get(id)
        if (payout) paid.push(payout)
      }
    }
    for (const payout of paid) {
      const key = purposeOf(payout)
      const now = (times.get(key) ?? 0) + 1
      times.set(key, now)
      paidNow.set(key, payout)
      judgeBoth(payout)
      if (payout.kind !== 'sweep' && now > 1)
        reportViolation(
          oracle,
          `${nameOf(oracle, payout)} is on chain ${now} times at one moment`,
          numberOf(oracle, payout.swapId),
        )
      if (payout.state === 'abandoned')
        reportViolation(
          oracle,
          `${nameOf(oracle, payout)} was given up and is on chain`,
          numberOf(oracle, payout.swapId),
        )
    }
    return {
      hash: block?.hash ?? '',
      hashes: (block?.transactions ?? []).map(({ transaction }) => transaction.hash),
      paid,
    }
  }

  /** A swap is delivered, and all of its deposits go back as well. */
  function judgeBoth({ swapId }: PayoutEntry): void {
    if (swapId === null) return
    const own = [...paidNow.values()].filter((payout) => payout.swapId === swapId)
    const back = own
      .filter(({ kind }) => kind === 'refund' || kind === 'return')
      .reduce((sum, { units, keptUnits }) => sum + units + keptUnits, 0n)
    // A deposit that was read again after a restore has another id.
    const came = new Map(
      [...record.deposits.values()]
        .filter((deposit) => deposit.swapId === swapId)
        .map(({ network, hash, index, units }) => [`${network} ${hash} ${index}`, units]),
    )
    const all = [...came.values()].reduce((sum, units) => sum + units, 0n)
    if (own.some(({ kind }) => kind === 'output') && back > 0n && back >= all)
      reportViolation(oracle, 'it is delivered and refunded at one moment', numberOf(oracle, swapId))
  }

  /** The purpose of a payment, independent of its row id: a restored database gives it another one. */
  function purposeOf({ id, swapId, kind, depositId, campaign, period, to }: PayoutEntry): string {
    if (kind === 'reward') return `reward ${campaign} ${period} ${to}`
    const deposit = record.deposits.get(depositId ?? '')
    return swapId === null
      ? id
      : `${kind} ${swapId} ${deposit ? `${deposit.network} ${deposit.hash} ${deposit.index}` : ''}`
  }

  /**
   * Judges stored bytes: they pay exactly the order, and no other transaction signed for it can be mined alongside
   * them.
   */
  function judgeAttempt(attempt: AttemptEntry): void {
    const slot = record.slots.get(attempt.slotId)
    const transaction = decode(attempt.bytes)
    if (!slot || !transaction) {
      reportViolation(oracle, 'bytes were stored that nobody can read')
      return
    }
    const payouts = slot.payouts.flatMap((id) => record.payouts.get(id) ?? [])
    if (payouts.some(({ kind }) => kind === 'sweep')) return
    const wanted = attempt.cancels ? [] : payouts.map(({ to, units, token }) => `${to} ${units} ${token}`)
    const moved = transaction.moves.map(({ to, units, contract }) => `${to} ${units} ${contract ?? 'native'}`)
    const [first] = payouts
    const number = numberOf(oracle, first?.swapId ?? null)
    if (wanted.toSorted().join() !== moved.toSorted().join())
      reportViolation(oracle, `bytes for ${moved.join()} were signed for ${wanted.join()}`, number)
    if ((JSON.parse(slot.parts) as string[])[0] !== `${transaction.nonce}`)
      reportViolation(oracle, `bytes were signed in another slot than ${slot.parts}`, number)
    for (const payout of payouts) {
      if (payout.state === 'abandoned')
        reportViolation(oracle, `${nameOf(oracle, payout)} was signed after it was given up`, number)
      const earlier = [...record.slots.values()].filter(
        ({ id, payouts }) => id !== slot.id && payouts.includes(payout.id),
      )
      if (earlier.some((other) => canLand(oracle, other)))
        reportViolation(oracle, `${nameOf(oracle, payout)} was signed in another slot while its first can land`, number)
    }
  }

  function judgeMade(life: Life, { id, swapId, kind, network, token, units }: PayoutEntry): void {
    const slots = [...record.slots.values()].filter(({ payouts }) => payouts.includes(id)).map((slot) => slot.id)
    const attempts = [...record.attempts.values()].filter(({ slotId }) => slots.includes(slotId))
    const lead = life.nodes.get(network)?.lead() ?? 0
    const depth = Math.max(0, ...attempts.map(({ hash }) => deepestOf(network, hash))) + lead
    const listed = tokenOf(oracle, network, token)
    const place = world.base.catalogue.network(network)
    const prices = listed ? pricesKnown(life, listed) : []
    const tiers = prices.map((price) => tierOf(place, listed && usdOf(listed, units, price)))
    const wanted = kind === 'sweep' ? place.finalDepth : Math.min(...tiers, tierOf(place, null))
    if (depth < wanted)
      reportViolation(oracle, `its ${kind} counts at ${depth} confirmations of ${wanted}`, numberOf(oracle, swapId))
  }

  function deepestOf(network: string, hash: string): number {
    const height = world.chains.get(network)?.find(hash)?.height
    const now = height === undefined ? 0 : chainIn(world, network).height - height + 1
    return Math.max(now, deepest.get(hash) ?? 0)
  }

  return { look, judgeAttempt, judgeMade, purposeOf, deepest: deepestOf }
}

/** Something was signed in the slot, and no final transaction without a transfer has consumed it. */
function canLand({ world, record }: OracleState, slot: SlotEntry): boolean {
  const signed = [...record.attempts.values()].filter(({ slotId }) => slotId === slot.id)
  if (signed.length === 0) return false
  const chain = chainIn(world, slot.network)
  const [part] = JSON.parse(slot.parts) as string[]
  const used = chain.usedBy(slot.account, BigInt(part ?? '0'))
  const found = used === undefined ? undefined : chain.find(used)
  if (!found || chain.height - found.height + 1 < finalDepth(world, slot.network)) return true
  return signed.some(({ hash, cancels }) => hash === used && !cancels) && !found.landed.reverted
}

/**
 * A wallet holds at least the ledger's balance, less signed payouts that are not booked yet, and less booked deposits
 * that a reorg has removed for now.
 */
function judgeWallets(oracle: OracleState): void {
  const { world, record } = oracle
  const open = [...record.slots.values()].filter(({ state }) => state === 'open')
  const signedFees = new Map<string, bigint>()
  const signed = new Set<string>()
  for (const { slotId, bytes } of record.attempts.values()) {
    const slot = record.slots.get(slotId)
    if (slot?.state !== 'open') continue
    signed.add(slotId)
    const fee = decode(bytes)?.fee ?? 0n
    const most = signedFees.get(slotId) ?? 0n
    signedFees.set(slotId, fee > most ? fee : most)
  }
  for (const [network, chain] of world.chains) {
    const treasury = world.base.chains.get(network)?.treasury ?? ''
    for (const { contract, symbol } of world.base.catalogue.network(network).tokens) {
      const token = contract ?? 'native'
      const booked = record.wallets.get(walletKey(treasury, network, token)) ?? 0n
      const leaving = open
        .filter((slot) => slot.network === network && signed.has(slot.id))
        .flatMap(({ payouts }) => payouts.flatMap((id) => record.payouts.get(id) ?? []))
        .filter((payout) => payout.kind !== 'sweep' && payout.token === token && payout.state === 'open')
        .reduce((sum, { units }) => sum + units, 0n)
      const fees =
        contract !== null
          ? 0n
          : open.reduce(
              (sum, { id, network: other }) => sum + (other === network ? (signedFees.get(id) ?? 0n) : 0n),
              0n,
            )
      const away = [...record.deposits.values()]
        .filter(
          ({ state, to, network: other, token: key }) =>
            state === 'confirmed' && to === treasury && other === network && key === token,
        )
        .filter((deposit) => !isThere(oracle, deposit))
        .reduce((sum, { units }) => sum + units, 0n)
      const missing = missingUnits(world, network, contract)
      // Coins brought for a transaction that a reorg removed for now may be booked as a gift before they leave.
      const brought = world.foreign.reduce(
        (sum, one) => sum + (one.network === network && contract === null ? one.broughtUnits : 0n),
        0n,
      )
      const held = chain.balance(treasury, contract) + (missing > 0n ? missing : 0n)
      if (held < booked - leaving - fees - away - brought)
        reportViolation(
          oracle,
          `the treasury on ${network} holds ${held} ${symbol}: the books say ${booked}, of which ${leaving + fees + away} may be gone`,
        )
    }
  }
}

/** The deposit's transaction is in a block with the same amount: a reorg may have changed it. */
function isThere(oracle: OracleState, deposit: DepositEntry): boolean {
  const found = oracle.world.chains.get(deposit.network)?.find(deposit.hash)?.landed
  const move = found?.reverted === false ? found.transaction.moves[deposit.index] : undefined
  return move?.to === deposit.to && (move.contract ?? 'native') === deposit.token && move.units === deposit.units
}

function finalDepth(world: World, network: string): number {
  return world.base.catalogue.network(network).finalDepth
}
