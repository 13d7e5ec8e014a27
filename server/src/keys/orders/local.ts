/**
 * Signs orders with the keys and the journal of this process. The signer process uses this file, too, and adds its
 * policy.
 */
import {
  Bug,
  type ChainAdapter,
  type MaxSigningCost,
  type Order,
  RetryLater,
  type SignedTransfer,
  tokenKey,
} from '@causeway/core'
import { writeOrder } from '../backends/protocol.ts'
import type { Proposal, Verdict } from '../journal/fences.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, Signature } from '../journal/line.ts'
import type { OrderRefusal, OrderSigner, Recorded, SignAnswer, SignRequest } from './orders.ts'

export interface LocalOptions {
  journal: Journal
  adapterOf(network: string): ChainAdapter | Promise<ChainAdapter>
  /**
   * Returns why the order is not signed, as text, or null. Called after the fences and before the signature; it is
   * synchronous so that no other request comes between.
   */
  judge?(request: SignRequest, cost: MaxSigningCost, slot: Extract<Verdict, { is: 'free' }>): string | null
  /** The valid approvals of an order. */
  approvalsOf?(network: string, order: Order): string[]
}

export function localOrders(options: LocalOptions): OrderSigner {
  const { journal } = options
  return {
    sign: (request) => sign(options, request),
    async recorded(slot) {
      if (journal.isSigning(slot)) throw new RetryLater('a transaction of this slot is being signed')
      return journal.signatures(slot).map(({ record }) => recordedOf(record))
    },
    async release(slot, allocation) {
      if (journal.isSigning(slot)) throw new RetryLater('a transaction of this slot is being signed')
      const signatures = journal.signatures(slot)
      if (signatures.every(({ closing }) => closing !== null)) journal.released.add(allocation)
      return signatures.map(({ record }) => recordedOf(record))
    },
    async close({ lines, ...closing }) {
      const signatures = journal.signatures(closing)
      const last = signatures.at(-1)
      // A slot in which nothing was signed needs no closing line. A closed slot gets another closing line only if the
      // outcome differs or more parts are released.
      if (!last || (last.closing?.outcome === closing.outcome && last.closing.freed.length >= closing.freed.length))
        return true
      // Closed as paid does not mean judged: a database that went back in time may lack the attempt that paid.
      const unjudged = signatures.filter(
        ({ record, closing: before }) => before?.outcome !== 'unpaid' && !lines.includes(record.n),
      )
      if (closing.outcome === 'unpaid' && unjudged.length > 0) return false
      await journal.close(closing)
      return true
    },
    status: async () => ({
      ...{ id: journal.id, database: journal.database(), state: journal.state(), head: journal.head() },
      ...{ hasSignatures: journal.hasSignatures(), lastBranch: journal.lastBranch(), mark: journal.mark() },
      ...{ restoredTo: journal.restoredTo(), isBroken: journal.isBroken() },
    }),
    branch: (writer) => journal.branch(writer),
    async stop(code, found) {
      if (journal.state() === 'running') await journal.stop(code, journal.mark(), found)
    },
    async saveMark(vector) {
      if (journal.state() === 'running') await journal.saveMark(vector)
    },
    resume: (vector, by) => journal.restored(vector, by),
    async *lines(after) {
      yield* journal.after(after)
    },
    end: () => journal.end(),
  }
}

async function sign(options: LocalOptions, request: SignRequest): Promise<SignAnswer> {
  const { journal } = options
  const { network, order, slot, draft } = request
  // The fences let cancellations pass, so an order that pays must not have the purpose `cancel`.
  if ((request.purpose === 'cancel') !== (order.kind === 'cancel')) {
    throw new Bug('the purpose is not that of the order', { purpose: request.purpose, kind: order.kind })
  }
  const state = journal.state()
  if (state !== 'running') return refused({ code: 'stopped', state })
  if (journal.database() !== request.database) return refused({ code: 'other_database' })
  const adapter = await options.adapterOf(network)
  const cost = adapter.maxSigningCost(order, slot, draft)
  const proposal = proposalOf(request, cost, options.approvalsOf?.(network, order) ?? [])
  // No `await` between here and the binding of the slot: two requests must not pass the same fence.
  const verdict = journal.judge(proposal)
  if (verdict.is === 'recorded') return { is: 'signed', record: recordedOf(verdict.record) }
  if (request.allocation !== undefined && journal.released.has(request.allocation))
    return refused({ code: 'slot_released' })
  if (verdict.is === 'refused') return refused(refusalOf(verdict.refusal))
  const reason = options.judge?.(request, cost, verdict) ?? null
  if (reason !== null) return refused({ code: 'refused', reason })
  const bound = journal.bind(proposal, verdict, cost.feeUnits)
  const { hash, bytes } = await signWith(adapter, request).catch((error: unknown) => {
    bound.abandon()
    throw error
  })
  const entry = await bound.record({
    ...{ hash, bytes, writer: request.writer, tokens: tokensOf(order) },
  })
  return { is: 'signed', record: recordedOf(entry) }
}

/** Declared async so that an adapter's synchronous throw also becomes a rejection. */
async function signWith(adapter: ChainAdapter, { order, slot, draft }: SignRequest): Promise<SignedTransfer> {
  return adapter.sign(order, slot, draft)
}

function proposalOf(request: SignRequest, cost: MaxSigningCost, approvals: readonly string[]): Proposal {
  const { network, order, slot, attempt, purpose, payouts, known } = request
  return {
    ...{ network, account: order.account, slot, attempt, purpose, payouts, known, approvals },
    order: writeOrder(withoutApprovals(order)),
    ...(cost.facts ? { facts: cost.facts } : {}),
  }
}

/** Approvals may differ between attempts; the payment does not. */
function withoutApprovals(order: Order): Order {
  if (order.kind === 'exchange') return { kind: order.kind, account: order.account, exchange: order.exchange }
  if (order.kind !== 'transfers') return order
  return { ...order, transfers: order.transfers.map(({ to, amount }) => ({ to, amount })) }
}

function tokensOf(order: Order): Signature['tokens'] {
  if (order.kind === 'cancel') return []
  const tokens =
    order.kind === 'sweep'
      ? [order.token]
      : order.kind === 'exchange'
        ? [order.exchange.sells.token, order.exchange.buys]
        : order.transfers.map(({ amount }) => amount.token)
  const byKey = new Map(tokens.map((token) => [tokenKey(token), token]))
  return [...byKey].map(([key, { symbol, decimals }]) => ({ key, symbol, decimals }))
}

function recordedOf({ n, hash, content }: Entry<Signature>): Recorded {
  const { network, account, slot, attempt, purpose, payouts, bytes, fee } = content
  return {
    ...{ network, account, slot, attempt, purpose, payouts: payouts.map(({ id }) => id) },
    line: { n, hash },
    transfer: { hash: content.hash, bytes, feeCeiling: BigInt(fee) },
  }
}

function refusalOf(refusal: Extract<Verdict, { is: 'refused' }>['refusal']): OrderRefusal {
  switch (refusal.code) {
    case 'slot_signed':
    case 'payout_signed':
      return { code: refusal.code, record: recordedOf(refusal.record) }
    case 'settled_before':
      return { code: refusal.code, payouts: refusal.payouts, line: { n: refusal.record.n, hash: refusal.record.hash } }
    default:
      return refusal
  }
}

function refused(refusal: OrderRefusal): SignAnswer {
  return { is: 'refused', refusal }
}
