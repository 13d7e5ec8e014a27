/**
 * Decisions in bulk, after a restore without the journal: exports a file with every held payout and every unknown
 * transaction, and imports it with the operator's decisions.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { type ChainAdapter, type Movement, RetryLater, type Token, tokenKey, unexplainedOutflow } from '@causeway/core'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { formerTreasuries } from '../../store/ledger/treasuries.ts'
import { unknownAmong } from '../../store/ledger/wallet-checks.ts'
import { findSigned } from '../../store/payouts/attempts.ts'
import { type HeldPayout, insertDecision, listHeld } from '../../store/payouts/holds.ts'
import { acceptTransactions, readBarriers } from '../../store/restore/barrier.ts'
import { openAmong } from '../../store/restore/recorded-payouts.ts'
import { insertFound } from '../../store/restore/replay.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { amountAt, type CommandContext, change, UsageError } from '../context/command-context.ts'

const MOST = 100_000
/** Blocks per request to a family. */
const STRETCH = 2_000n
const HEADER = `# One line per payout that may have been paid before. Write into its last column "paid HASH", with a transaction below that made it, or
# "unpaid": then it is paid. A payout whose last column is "?" stays held. Then run "restore import FILE".`

interface Outgoing {
  chain: ChainAdapter
  account: string
  movement: Movement
}

export async function exportDecisions(desk: CommandContext, file: string): Promise<void> {
  const { found, unread } = await readOutgoing(desk)
  const payouts = (await doubtful(desk)).map(({ id, swap_id, kind, network, token, units, to_address, created_at }) =>
    ['payout', id, swap_id ?? '', kind, network, token, amountAt(desk, network, token, units), to_address]
      .concat(created_at.toISOString(), '?')
      .join('\t'),
  )
  const transactions = found.map(({ chain, account, movement }) => {
    const sums = [...leavingBy(movement)].map(
      ([token, units]) => `${amountAt(desk, chain.network.name, token, units)} ${token}`,
    )
    const place = ['transaction', chain.network.name, account, movement.txHash, `${movement.block.number}`]
    return [...place, sums.join(', ')].join('\t')
  })
  const missing = unread.map((network) => `# ${network}: NOT READ: its transactions are not in this file`)
  await writeFile(file, `${[HEADER, ...payouts, ...transactions, ...missing].join('\n')}\n`, { mode: 0o600 })
  desk.print(`${payouts.length} payouts and ${transactions.length} transactions are in ${file}`)
  for (const network of unread) desk.print(`${network}: NOT READ`)
}

/** Imports the decisions of a file: all of them, or none. */
export async function importDecisions(desk: CommandContext, file: string): Promise<void> {
  const held = new Map((await doubtful(desk)).map((payout) => [payout.id, payout]))
  const { found } = await readOutgoing(desk)
  const [paid, unpaid] = [new Map<string, HeldPayout[]>(), [] as HeldPayout[]]
  for (const [number, line] of (await readFile(file, 'utf8')).split('\n').entries()) {
    const columns = line.split('\t')
    const [answer = '', hash = ''] = (columns.at(-1) ?? '').trim().split(' ')
    if (columns[0] !== 'payout' || answer === '?') continue
    const wrong = (why: string) => new UsageError(`line ${number + 1} of ${file}: ${why}; nothing is changed`)
    const payout = held.get(columns[1] ?? '')
    if (!payout) throw wrong(`the payout ${columns[1]} does not wait for this decision`)
    if (answer === 'unpaid' && hash === '') unpaid.push(payout)
    else if (answer === 'paid')
      paid.set(outgoingOf(found, payout, hash, wrong), [...(paid.get(keyOf(payout.network, hash)) ?? []), payout])
    else throw wrong(`"${columns.at(-1)}" is neither "paid HASH" nor "unpaid"`)
  }
  const data = { paid: [...paid.values()].flat().length, unpaid: unpaid.length, transactions: found.length }
  const fees = await feesOf(
    desk,
    found.filter((one) => paid.has(outgoingKey(one))),
  )
  for (const one of found) {
    const payouts = paid.get(outgoingKey(one)) ?? []
    if (payouts.length > 0) await requirePaid(one, payouts)
  }
  await change(desk, 'restore decisions imported', data, async (queries) => {
    for (const { id, hold, network, account } of unpaid) {
      if (!hold) continue
      const decision = {
        on: { holdId: hold.id },
        answer: 'approve' as const,
        by: desk.actor,
        requestId: desk.requestId,
      }
      await insertDecision(queries, { ...decision, at: desk.now() })
      await addJob(queries, { task: 'pay', payload: { payoutId: id }, lane: laneOf(network, account) })
    }
    for (const one of found) {
      const { chain, account, movement } = one
      const payouts = paid.get(outgoingKey(one)) ?? []
      const place = { network: chain.network.name, account, slot: [...(movement.slot ?? [])] }
      if (payouts.length > 0) await insertFound(queries, { ...place, hash: movement.txHash, payouts }, desk.now())
      else await acceptTransactions(queries, { network: place.network, account }, [movement], desk.now())
      const rest = restOf(one, payouts, fees.get(outgoingKey(one)) ?? 0n)
      for (const { token, units } of rest)
        if (units !== 0n)
          await insertPosting(queries, unexplainedOutflow(account, token, units), null, movement.block.number)
    }
  })
  desk.print(
    `${data.paid} payouts are paid, ${data.unpaid} are to be paid; ${found.length} transactions are in the ledger`,
  )
}

async function doubtful({ database }: CommandContext): Promise<HeldPayout[]> {
  const held = (await listHeld(database, MOST)).filter(({ hold }) => hold?.hold.code === 'restore_doubt')
  // While a recorded payout may still be mined, no decision is made about anything that it settled.
  const settledBy = held.flatMap(({ hold }) => (hold?.hold.code === 'restore_doubt' ? (hold.hold.settledBy ?? []) : []))
  const open = await openAmong(database, settledBy)
  return held.filter(({ hold }) => hold?.hold.code === 'restore_doubt' && !open.has(hold.hold.settledBy ?? ''))
}

/** Transactions of every wallet that the ledger does not have, from the backup to the barrier. */
async function readOutgoing(desk: CommandContext): Promise<{ found: Outgoing[]; unread: string[] }> {
  const [found, unread]: [Outgoing[], string[]] = [[], []]
  const configured = (await desk.networks?.()) ?? []
  for (const { network, block, from_block } of await readBarriers(desk.database)) {
    const chain = configured.includes(network) ? await desk.chain?.(network) : undefined
    if (!chain?.audit || block === null) {
      unread.push(network)
      continue
    }
    try {
      const { block: at } = await chain.balances([])
      const end = at && at.number < block ? at.number : block
      const wallets = [chain.treasury, ...(await formerTreasuries(desk.database, network, chain.treasury))]
      for (const account of wallets) {
        for (let next = (from_block ?? block) + 1n; next <= end; next += STRETCH) {
          const last = next + STRETCH - 1n < end ? next + STRETCH - 1n : end
          const moved = await chain.audit.movements(account, next, last)
          const unknown = await unknownAmong(desk.database, network, account, moved)
          found.push(...unknown.map((movement) => ({ chain, account, movement })))
        }
      }
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error
      unread.push(network)
    }
  }
  return { found, unread }
}

function keyOf(network: string, hash: string): string {
  return `${network}/${hash.toLowerCase()}`
}

function outgoingKey({ chain, movement }: Outgoing): string {
  return keyOf(chain.network.name, movement.txHash)
}

function outgoingOf(
  found: readonly Outgoing[],
  payout: HeldPayout,
  hash: string,
  wrong: (why: string) => Error,
): string {
  const key = keyOf(payout.network, hash)
  const one = found.find((each) => outgoingKey(each) === key)
  if (!one) throw wrong(`the transaction ${hash} is not among those of ${payout.network} that the ledger lacks`)
  if (!leavingBy(one.movement).has(payout.token)) throw wrong(`the transaction ${hash} sent nothing of that token`)
  return key
}

/** The network fee of each transaction; it is booked when the slot is settled. */
async function feesOf(desk: CommandContext, paid: readonly Outgoing[]): Promise<Map<string, bigint>> {
  const fees = new Map<string, bigint>()
  for (const one of paid) {
    const { chain, account, movement } = one
    const status = await chain.status({ hash: movement.txHash, slot: [...(movement.slot ?? [])], account }, (hash) =>
      findSigned(desk.database, chain.network.name, hash),
    )
    if (status.state !== 'included') throw new UsageError(`${movement.txHash} is not in a block: nothing is changed`)
    fees.set(outgoingKey(one), status.feeUnits)
  }
  return fees
}

/**
 * Throws unless the transaction sent enough for all payouts that the file says it made, and to their recipients, if the
 * chain shows who received it. A payout that was ordered again after the restore may be for up to a tenth more: prices
 * moved.
 */
async function requirePaid(one: Outgoing, payouts: readonly HeldPayout[]): Promise<void> {
  const { txHash } = one.movement
  const [sent, received] = [leavingBy(one.movement), await receivedIn(one)]
  const owed = new Map<string, bigint>()
  const isShort = (key: string, units: bigint, paid: ReadonlyMap<string, bigint>) => {
    owed.set(key, (owed.get(key) ?? 0n) + units)
    return (paid.get(key) ?? 0n) * 10n < (owed.get(key) ?? 0n) * 9n
  }
  for (const { token, to_address: to, units } of payouts) {
    if (isShort(token, units, sent)) throw new UsageError(`${txHash} sent less than its payouts: nothing is changed`)
    const isShown = [...received.keys()].some((key) => key.startsWith(receiptKey(token, '')))
    if (isShown && isShort(receiptKey(token, to), units, received))
      throw new UsageError(`${txHash} did not pay this amount to ${to}: nothing is changed`)
  }
}

/** The amounts that others received, by token and address. Empty if the chain does not show them. */
async function receivedIn({ chain, account, movement }: Outgoing): Promise<Map<string, bigint>> {
  const others = { owned: async (addresses: readonly string[]) => new Set(addresses.filter((one) => one !== account)) }
  const found = await chain.inspect(movement.txHash, others)
  const sums = new Map<string, bigint>()
  for (const { amount, to } of 'sightings' in found ? found.sightings : []) {
    const key = receiptKey(tokenKey(amount.token), to)
    sums.set(key, (sums.get(key) ?? 0n) + amount.units)
  }
  return sums
}

function receiptKey(token: string, to: string): string {
  return `${token} ${to.toLowerCase()}`
}

/** The part of a transaction that is neither one of its payouts nor, if it made one, its fee. */
function restOf(
  { chain, movement }: Outgoing,
  payouts: readonly HeldPayout[],
  fee: bigint,
): { token: Token; units: bigint }[] {
  const { tokens, nativeToken } = chain.network
  const left = leavingBy(movement)
  for (const { token, units } of payouts) left.set(token, (left.get(token) ?? 0n) - units)
  if (payouts.length > 0) left.set(tokenKey(nativeToken), (left.get(tokenKey(nativeToken)) ?? 0n) - fee)
  return [...left].flatMap(([key, units]) => {
    const token = tokens.find((one) => tokenKey(one) === key)
    return token ? [{ token, units }] : []
  })
}

/** The outgoing amounts by token, in base units above zero. */
function leavingBy({ changes }: Movement): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { token, units } of changes) {
    if (units < 0n) sums.set(tokenKey(token), (sums.get(tokenKey(token)) ?? 0n) - units)
  }
  return sums
}
