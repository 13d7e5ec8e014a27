/** The texts of the status page: a heading, the next step, and each step so far. Pure functions. */
import type { SwapDetails, SwapProgress, Transaction } from '@causeway/sdk/light'
import { formatAmount, formatShort, visible } from '../../money/format.ts'
import { formatLeft, formatTime, formatTook } from '../../money/format-time.ts'
import { costs, status as text } from '../../text/texts.ts'
import type { Mark } from '../../wallet/guard.ts'
import { patience } from './patience.ts'
import { tellBack } from './refund/going-back.ts'
import { userExchangeOf } from './steps/legs.ts'
import type { Stage, Story, Telling } from './story.ts'

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

/** `mark`: a wallet of this browser was asked for the deposit. */
export function tell(
  details: SwapDetails,
  progress: SwapProgress | null,
  now: number,
  mark: Mark | null = null,
): Story {
  const { swap, quote } = details
  const inputs = swap.transactions.filter(({ type }) => type === 'input')
  const open = inputs.filter(({ status }) => status !== 'completed')
  const stage = STAGES[swap.status] ?? 'new'
  const gets = formatShort(quote.receive_amount ?? 0, swap.destination_token.symbol)
  const least = quote.min_receive_amount
  const reason =
    swap.fail_reason === 'degraded_quote' && least
      ? costs.belowMinimum(formatShort(least, swap.destination_token.symbol))
      : swap.fail_reason
        ? (text.reasons[swap.fail_reason] ?? text.otherReason)
        : null
  const story: Telling = (heading, sentences, brief = heading) => ({
    stage,
    heading,
    sentences: sentences.filter((sentence) => sentence !== null),
    why: reason,
    brief,
  })
  const destination = visible(swap.destination_network.display_name)

  if (stage === 'waiting' && open.length > 0) {
    const [first] = open
    const done = first?.confirmations ?? 0
    const all = first?.max_confirmations ?? 1
    const sentence = first?.status === 'pending' ? text.seen : text.blocksDone(done, all)
    const again = takenBackAt(progress) !== null ? text.rearranged : null
    return { ...story(text.confirming, [again, sentence], text.blocks(done, all)), stage: 'confirming' }
  }
  if (stage === 'waiting') return tellWaiting(details, { inputs, progress, now, mark, story })
  if (stage === 'paying') {
    const output = swap.transactions.findLast(({ type }) => type === 'output')
    if (output) {
      const blocks = text.payingBlocks(output.confirmations, output.max_confirmations, destination)
      return story(text.paying(formatShort(output.amount, swap.destination_token.symbol)), [blocks])
    }
    const waits = patience(swap, progress, now, gets)
    // Nothing is being sent while a payout is held, so the heading does not say so.
    const safe = progress?.held === 'deposit' ? null : text.safe
    if (progress?.held) return story(progress.held === 'review' ? text.reviewing : text.delayed, [safe, ...waits])
    return story(text.paying(gets), [text.payingText(destination), ...waits])
  }
  if (stage === 'done') {
    const received = sum(swap.transactions.filter(({ type }) => type === 'output'))
    const amount = received > 0 ? formatShort(received, swap.destination_token.symbol) : gets
    return story(text.done(amount), [text.doneText(destination, took(swap, progress))])
  }
  if (stage === 'new') return story(text.unknownWord, [text.unknownWordText])
  if (stage === 'expired') return story(text.expired, [text.expiredText])
  return tellBack(details, { progress, stage, story })
}

interface Waiting {
  inputs: readonly Transaction[]
  progress: SwapProgress | null
  now: number
  mark: Mark | null
  story: Telling
}

function tellWaiting({ swap, quote }: SwapDetails, { inputs, progress, now, mark, story }: Waiting): Story {
  const source = visible(swap.source_network.display_name)
  const { symbol } = swap.source_token
  const wants = quote.requested_amount ? formatAmount(quote.requested_amount, symbol) : null
  const least = formatShort(quote.min_receive_amount ?? 0, swap.destination_token.symbol)
  const by = progress && formatTime(progress.expires_at)
  const came = userExchangeOf(swap) ? swap.received_amount : sum(inputs)
  const takenAt = takenBackAt(progress)
  // A user who reads "send it" now would pay twice. Payment details stay hidden until the deposit had time to be
  // mined again.
  if (came === 0 && takenAt !== null && now - takenAt < COMES_BACK_MS)
    return { ...story(text.confirming, [text.takenBack(source)]), stage: 'confirming' }
  if (came > 0 && wants) return story(text.waitingRest, [partly(swap, came, wants, by)])
  if (mark?.isSent) {
    const amount = wants ?? symbol
    const sentence = mark.wallet ? text.sentText(mark.wallet, amount) : text.sentPlain(amount)
    return { ...story(text.sentLooking(source), [sentence]), stage: 'sent' }
  }
  // The wallet did not answer: it may have sent the deposit.
  if (mark) return { ...story(text.looking(source), []), stage: 'sent' }
  const left = progress ? Date.parse(progress.quote_expires_at) - now : null
  const price = left === null ? null : left <= 0 ? text.priceOut(least) : text.priceHolds(formatLeft(left), by ?? '')
  const notBack = takenAt === null ? null : text.notBack
  const ask = wants === null ? text.openPlain : null
  const heading = text.waiting(wants ?? visible(symbol), source)
  return { ...story(heading, [notBack, ask, price]), bold: left === null || left <= 0 ? null : formatLeft(left) }
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
  const until = swap.waits_until ? formatTime(swap.waits_until) : by
  return until ? text.part(here, wants, until) : text.partPlain(here, wants)
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
