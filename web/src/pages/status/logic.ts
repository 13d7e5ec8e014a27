/** The texts of the status page: a heading, the next step, and each step so far. Pure functions. */
import type { SwapDetails, SwapProgress, Transaction } from '@causeway/sdk/light'
import { formatAmount, formatTime, formatTook, shortAddress, visible } from '../../money/format.ts'
import { status as text } from '../../text/en.ts'
import { patience } from './patience.ts'

export type Stage =
  | 'waiting'
  | 'confirming'
  | 'paying'
  | 'done'
  | 'returning'
  | 'returned'
  | 'owed'
  | 'failed'
  | 'expired'
  | 'new'

export interface Story {
  stage: Stage
  heading: string
  sentences: string[]
  next: string | null
  /** For the tab's title, short. */
  brief: string
}

const STAGES: Record<string, Stage> = {
  user_transfer_pending: 'waiting',
  ls_transfer_pending: 'paying',
  completed: 'done',
  refund_pending: 'returning',
  pending_refund: 'owed',
  refunded: 'returned',
  failed: 'failed',
  expired: 'expired',
}

export function tell({ swap, quote }: SwapDetails, progress: SwapProgress | null, now: number): Story {
  const inputs = swap.transactions.filter(({ type }) => type === 'input')
  const open = inputs.filter(({ status }) => status !== 'completed')
  const stage = STAGES[swap.status] ?? 'new'
  const source = visible(swap.source_network.display_name)
  const wants = quote.requested_amount === null ? null : formatAmount(quote.requested_amount, swap.source_token.symbol)
  const gets = formatAmount(quote.receive_amount ?? 0, swap.destination_token.symbol)
  const least = formatAmount(quote.min_receive_amount ?? 0, swap.destination_token.symbol)
  const pays = text.nextPay(gets, visible(swap.destination_network.display_name))
  const story = (heading: string, sentences: (string | null)[], next: string | null, brief = heading): Story => ({
    stage,
    heading,
    sentences: sentences.filter((sentence) => sentence !== null),
    next,
    brief,
  })

  if (stage === 'waiting' && open.length > 0) {
    const [first] = open
    const done = first?.confirmations ?? 0
    const all = first?.max_confirmations ?? 1
    const sentence = first?.status === 'pending' ? text.seen : text.confirmingText(done, all)
    const again = takenBackAt(progress) !== null ? text.rearranged : null
    return { ...story(text.confirming, [again, sentence], pays, text.blocks(done, all)), stage: 'confirming' }
  }
  if (stage === 'waiting') {
    const by = progress && formatTime(progress.expires_at)
    const came = sum(inputs)
    const takenAt = takenBackAt(progress)
    // A user who reads "send it" now would pay twice. Payment details stay hidden until the deposit had time to be
    // mined again.
    if (came === 0 && takenAt !== null && now - takenAt < COMES_BACK_MS)
      return { ...story(text.confirming, [text.takenBack], null), stage: 'confirming' }
    if (came > 0 && wants) return story(text.waiting, [partly(swap, came, wants, by)], text.nextDeposit)
    const isOut = progress !== null && Date.parse(progress.quote_expires_at) < now
    const price = progress && (isOut ? text.priceOut(least) : text.priceHolds(formatTime(progress.quote_expires_at)))
    const ask = wants === null ? text.openPlain : by ? text.waitingText(wants, source, by) : null
    const notBack = takenAt === null ? null : text.notBack
    return story(text.waiting, [notBack, ask, price], text.nextDeposit)
  }
  if (stage === 'paying') {
    const [output] = swap.transactions.filter(({ type, status }) => type === 'output' && status === 'initiated')
    const sent = output ? text.sent(output.confirmations, output.max_confirmations) : null
    return story(text.paying, [text.payingText(gets), sent, ...patience(swap, progress, now)], pays)
  }
  if (stage === 'done') {
    const [output] = swap.transactions.filter(({ type }) => type === 'output')
    const amount = output ? formatAmount(output.amount, swap.destination_token.symbol) : gets
    return story(text.done, [text.doneText(amount, shortAddress(swap.destination_address), took(swap, progress))], null)
  }
  const reason = text.reasons[swap.fail_reason ?? ''] ?? (swap.fail_reason ? text.otherReason : '')
  const [back] = swap.transactions.filter(({ type }) => type === 'refund')
  const returned = back && formatAmount(back.amount, swap.source_token.symbol)
  if (stage === 'returning')
    return story(
      text.goingBack,
      [back && returned ? text.goingBackText(reason, returned, shortAddress(back.to ?? '')) : reason],
      null,
    )
  if (stage === 'returned')
    return story(
      text.returned,
      [reason || null, back && returned ? text.returnedText(returned, shortAddress(back.to ?? '')) : null],
      null,
    )
  if (stage === 'owed') {
    const owed = formatAmount(progress?.refund.owed ?? 0, swap.source_token.symbol)
    if (progress?.refund.needs_address === false) return story(text.small, [reason || null, text.smallText(owed)], null)
    return story(text.owed, [reason || null, text.owedText(owed, text.owedWhy)], null)
  }
  if (stage === 'failed') {
    const owed = progress?.refund.owed ?? 0
    const still = owed > 0 ? text.stillHere(formatAmount(owed, swap.source_token.symbol)) : null
    const isBack = back?.status === 'completed'
    const went = back && returned ? { amount: returned, to: shortAddress(back.to ?? '') } : null
    const where = went && (isBack ? text.returnedText(went.amount, went.to) : text.returningText(went.amount, went.to))
    return story(text.failed, [reason, where ?? still], null)
  }
  if (stage === 'expired') return story(text.expired, [text.expiredText], null)
  return story(text.unknownWord(swap.status), [], null)
}

/** A deposit that a reorg removed is mined again within minutes, or never. */
const COMES_BACK_MS = 10 * 60_000

/** When a deposit last disappeared from the chain. */
function takenBackAt(progress: SwapProgress | null): number | null {
  const gone = progress?.history.findLast(({ type }) => type === 'deposit_gone')
  return gone ? Date.parse(gone.at) : null
}

function partly(swap: SwapDetails['swap'], came: number, wants: string, by: string | null): string {
  const here = formatAmount(came, swap.source_token.symbol)
  return by ? text.part(here, wants, by) : text.partPlain(here, wants)
}

function sum(transactions: readonly Transaction[]): number {
  return transactions.reduce((total, { amount }) => total + amount, 0)
}

function took(swap: SwapDetails['swap'], progress: SwapProgress | null): string {
  const seen = progress?.deposit_seen_at ?? swap.created_date
  return formatTook((Date.parse(swap.close_date ?? seen) - Date.parse(seen)) / 1000)
}

/** The sender of all deposits; null if that is not one known address. */
export function senderOf({ transactions }: Pick<SwapDetails['swap'], 'transactions'>): string | null {
  const senders = new Set(transactions.filter(({ type }) => type === 'input').map(({ from }) => from))
  const [only = null] = senders
  return senders.size === 1 ? only : null
}
