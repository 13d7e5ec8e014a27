/** A real swap with altered service responses, to show each state of its page without waiting for it. */
import type { SwapDetails, SwapProgress, Transaction } from '@causeway/sdk'
import type { Page } from 'playwright-core'

export interface Real {
  details: SwapDetails
  progress: SwapProgress
}

const SENDER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const HOME = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

export async function makeSwap(url: string): Promise<Real> {
  const body = {
    source_network: 'ETHEREUM_SEPOLIA',
    source_token: 'ETH',
    destination_network: 'BASE_SEPOLIA',
    destination_token: 'USDC',
    amount: '0.1',
    destination_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    use_deposit_address: true,
  }
  const headers = { 'content-type': 'application/json' }
  const made = await fetch(`${url}/api/v2/swaps`, { method: 'POST', headers, body: JSON.stringify(body) })
  const details: SwapDetails = (await made.json()).data
  const told = await fetch(`${url}/api/v2/swaps/${details.swap.id}/progress`)
  const progress: SwapProgress = (await told.json()).data
  return { details, progress }
}

/** Altered parts of the answer. */
export interface Told {
  swap?: Partial<SwapDetails['swap']>
  progress?: Partial<Omit<SwapProgress, 'refund'>> & { refund?: Partial<SwapProgress['refund']> }
  transactions?: Partial<Transaction>[]
  /** The behaviour of the event stream. */
  news?: 'none' | 'broken'
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const input = (given: Partial<Transaction> = {}): Partial<Transaction> => ({ type: 'input', from: SENDER, ...given })
const output = (given: Partial<Transaction> = {}): Partial<Transaction> => ({ type: 'output', ...given })
const refund = (given: Partial<Transaction> = {}): Partial<Transaction> => ({
  type: 'refund',
  amount: 0.0996,
  to: HOME,
  ...given,
})
const owing = (needsAddress: boolean) => ({ owed: 0.1, needs_address: needsAddress })

const WAITING = 'Send 0.1 ETH on Ethereum Sepolia'

export const STATES: [name: string, heading: string | RegExp, says: RegExp, told: Told][] = [
  ['waiting at a deposit address', WAITING, /^Exact amount/, {}],
  ['the price ran out', WAITING, /^The price is no longer held/, { progress: { quote_expires_at: ago(60) } }],
  [
    'a part came',
    'Send the rest of your deposit',
    /^0\.06 ETH of 0\.1 ETH arrived/,
    { transactions: [input({ amount: 0.06 })] },
  ],
  [
    'seen, in no block',
    'Confirming your deposit',
    /^We see it, but it isn’t in a block yet/,
    { transactions: [input({ status: 'pending', confirmations: 0, max_confirmations: 12 })] },
  ],
  [
    'confirming',
    'Confirming your deposit',
    /^3 of 12 blocks\./,
    {
      transactions: [input({ status: 'initiated', confirmations: 3, max_confirmations: 12 })],
      progress: { deposit_seen_at: ago(20) },
    },
  ],
  [
    'no live news',
    'Confirming your deposit',
    /^Live updates stopped/,
    { transactions: [input({ status: 'initiated', confirmations: 3, max_confirmations: 12 })], news: 'broken' },
  ],
  [
    'taken out of its block',
    'Confirming your deposit',
    /don’t send it again/,
    { progress: { history: [{ at: ago(5), type: 'deposit_gone', status: 'user_transfer_pending' }] } },
  ],
  [
    'on its way',
    /^Sending [\d.]+ USDC/,
    /^1 of 5 blocks on Base/,
    {
      swap: { status: 'ls_transfer_pending' },
      transactions: [input(), output({ status: 'initiated', confirmations: 1, max_confirmations: 5 })],
    },
  ],
  [
    'held for a person, longer than usual',
    'Waiting for approval',
    /^We’re reviewing this payout/,
    {
      swap: { status: 'ls_transfer_pending' },
      transactions: [input()],
      progress: { held: 'review', deposit_seen_at: ago(900), gives_up_at: ago(-900) },
    },
  ],
  [
    'paused',
    'Your payout is delayed',
    /are paused\. We’ll send yours/,
    { swap: { status: 'ls_transfer_pending' }, transactions: [input()], progress: { held: 'paused' } },
  ],
  [
    'without liquidity',
    'Your payout is delayed',
    /own wallet is being refilled/,
    { swap: { status: 'ls_transfer_pending' }, transactions: [input()], progress: { held: 'liquidity' } },
  ],
  [
    'a node that does not answer',
    'Your payout is delayed',
    /isn’t answering right now/,
    { swap: { status: 'ls_transfer_pending' }, transactions: [input()], progress: { held: 'node' } },
  ],
  [
    'done',
    /^You received [\d.]+ USDC$/,
    /^Arrived on Base Sepolia in/,
    { swap: { status: 'completed' }, transactions: [input(), output()] },
  ],
  [
    'done with something still here',
    /^You received [\d.]+ USDC$/,
    /^We also hold 0\.1 ETH/,
    { swap: { status: 'completed' }, transactions: [input(), output(), input()], progress: { refund: owing(true) } },
  ],
  [
    'going back',
    'Refunding your deposit',
    /We’re returning 0\.0996 ETH to 0x90F7/,
    {
      swap: { status: 'refund_pending', fail_reason: 'degraded_quote' },
      transactions: [input(), refund({ status: 'initiated', confirmations: 1, max_confirmations: 12 })],
    },
  ],
  [
    'returned',
    'Refunded',
    /^0\.0996 ETH was returned to 0x90F7/,
    { swap: { status: 'refunded', fail_reason: 'degraded_quote' }, transactions: [input(), refund()] },
  ],
  [
    'owed, to be asked about',
    'Where should we send your refund?',
    /^Show that the deposit is yours/,
    {
      swap: { status: 'pending_refund', fail_reason: 'payout_rejected' },
      transactions: [input()],
      progress: { refund: owing(true) },
    },
  ],
  [
    'owed, less than the fee',
    'Refund pending',
    /We’ll refund it when the network fee is low enough/,
    {
      swap: { status: 'pending_refund', fail_reason: 'received_less_than_valid_range' },
      transactions: [input({ amount: 0.0001 })],
      progress: { refund: { ...owing(false), owed: 0.0001 } },
    },
  ],
  [
    'failed',
    'Deposit dropped',
    /should still be in your wallet/,
    { swap: { status: 'failed', fail_reason: 'deposit_lost' } },
  ],
  [
    'failed, then the deposit arrived',
    'Where should we send your refund?',
    /your deposit arrived after this swap closed/,
    {
      swap: { status: 'failed', fail_reason: 'deposit_lost' },
      transactions: [input()],
      progress: { refund: owing(true) },
    },
  ],
  ['expired', 'This swap expired', /If you already sent it/, { swap: { status: 'expired' } }],
  [
    'a word that this page does not know',
    'Status not available',
    /^This page doesn’t know your swap’s current status/,
    { swap: { status: 'thawing' as never } },
  ],
]

export async function showAs(page: Page, url: string, real: Real, told: Told): Promise<void> {
  const { swap, quote } = real.details
  const whole = (given: Partial<Transaction>): Transaction => {
    const [token, network] =
      given.type === 'output'
        ? [swap.destination_token, swap.destination_network]
        : [swap.source_token, swap.source_network]
    const base = {
      from: null,
      to: null,
      timestamp: ago(30),
      created_date: ago(30),
      transaction_hash: `0x${'8f'.repeat(32)}`,
    }
    const depth = { status: 'completed', confirmations: 12, max_confirmations: 12 } as const
    const fees = { amount_in_usd: null, usd_value: null, usd_price: null, fee_amount: null, fee_token: token }
    const amount = (given.type === 'output' ? quote.receive_amount : quote.requested_amount) ?? 0
    return { ...base, ...depth, ...fees, amount, token, network, type: 'input', ...given }
  }
  const details = {
    ...real.details,
    swap: { ...swap, ...told.swap, transactions: (told.transactions ?? []).map(whole) },
  }
  const { refund: back, ...moved } = told.progress ?? {}
  const progress = { ...real.progress, ...moved, refund: { ...real.progress.refund, ...back } }
  const place = `${url}/api/v2/swaps/${swap.id}`
  await page.route(
    ({ href }) => href.split('?')[0] === place,
    (route) => route.fulfill({ json: { data: details } }),
  )
  await page.route(`${place}/progress`, (route) => route.fulfill({ json: { data: progress } }))
  await page.addInitScript((news: Told['news']) => {
    class Silent extends EventTarget {
      constructor() {
        super()
        if (news === 'broken') setTimeout(() => this.dispatchEvent(new Event('error')))
      }
      close(): void {}
    }
    Object.assign(window, { EventSource: Silent })
  }, told.news)
}
