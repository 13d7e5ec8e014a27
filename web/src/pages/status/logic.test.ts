/** Every state of a swap has a heading and says where the money is. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { describe, expect, test } from 'vitest'
import { senderOf, tell } from './logic.ts'
import { returnOf } from './refund/returned.ts'

const token = (symbol: string) => ({ symbol, contract: null, decimals: 18 })
const PROGRESS = {
  now: '2026-11-15T12:00:00.000Z',
  quote_expires_at: '2026-11-15T12:15:00.000Z',
  expires_at: '2026-11-15T18:00:00.000Z',
  deposit_seen_at: '2026-11-15T12:00:00.000Z',
  usual_seconds: 40,
  p95_seconds: 70,
  gives_up_at: null,
  held: null,
  history: [],
  refund: { address: null, owed: 0.1, needs_address: true, text_to_sign: '' },
} as unknown as SwapProgress
const NOON = Date.parse('2026-11-15T12:00:10.000Z')

function swap(status: string, fields: object = {}, transactions: object[] = []): SwapDetails {
  return {
    quote: { requested_amount: 0.1, receive_amount: 299.12, min_receive_amount: 298.37 },
    swap: {
      status,
      fail_reason: null,
      created_date: '2026-11-15T11:59:00.000Z',
      close_date: '2026-11-15T12:00:38.000Z',
      destination_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      source_network: { display_name: 'Ethereum' },
      destination_network: { display_name: 'Base' },
      source_token: token('ETH'),
      destination_token: token('USDC'),
      transactions,
      legs: [],
      ...fields,
    },
  } as unknown as SwapDetails
}
const seen = (status: string, confirmations: number) => ({
  type: 'input',
  status,
  confirmations,
  max_confirmations: 12,
  amount: 0.1,
})
const said = (details: SwapDetails, progress: SwapProgress | null = PROGRESS, now = NOON) => {
  const { heading, sentences, why } = tell(details, progress, now)
  return [heading, ...sentences, ...(why ? [`Why: ${why}`] : [])].join(' | ')
}

test('the sender is known only if all deposits came from one address', () => {
  const from = (...senders: (string | null)[]) => ({
    transactions: senders.map((sender) => ({ type: 'input', from: sender })),
  })
  type Given = Parameters<typeof senderOf>[0]
  expect(senderOf(from('0x1', '0x1') as Given)).toBe('0x1')
  expect(senderOf(from('0x1', '0x2') as Given)).toBe(null)
  expect(senderOf(from('0x1', null) as Given)).toBe(null)
  expect(senderOf(from() as Given)).toBe(null)
})

describe('the status page', () => {
  test('never asks for a second deposit after a reorg removed the first one', () => {
    const gone = { ...PROGRESS, history: [{ at: PROGRESS.now, type: 'deposit_gone', status: 'user_transfer_pending' }] }
    expect(tell(swap('user_transfer_pending'), gone, NOON).stage).toBe('confirming')
    expect(said(swap('user_transfer_pending'), gone)).toMatch(/^Confirming your deposit \| .* don’t send it again\.$/)
    const later = tell(swap('user_transfer_pending'), gone, NOON + 600_000)
    expect(later.stage).toBe('waiting')
    expect(later.sentences[0]).toContain('only if your wallet shows no transaction')
    expect(said(swap('user_transfer_pending', {}, [seen('initiated', 3)]), gone)).toContain('being confirmed again.')
  })

  test('while waiting, says what to send and until when the price is valid', () => {
    expect(said(swap('user_transfer_pending'))).toMatch(
      /^Send 0\.1 ETH on Ethereum \| Price held for 14:50\. After that you get the current price\. Send by .+\.$/,
    )
    const late = Date.parse(PROGRESS.quote_expires_at) + 1
    expect(said(swap('user_transfer_pending'), PROGRESS, late)).toContain(
      'we’ll use the current price, or refund you if you’d get less than 298.37 USDC.',
    )
  })

  test('does not invite to send again what a wallet has sent, or may have sent', () => {
    const waiting = swap('user_transfer_pending')
    const mark = { wallet: 'Scripted', at: NOON }
    const sent = tell(waiting, PROGRESS, NOON, { ...mark, isSent: true, hash: '0x1' })
    expect(sent).toMatchObject({ stage: 'sent', heading: 'Sent. Looking for it on Ethereum' })
    expect(sent.sentences).toEqual(['Scripted sent 0.1 ETH. Please don’t send it again.'])
    expect(tell(waiting, PROGRESS, NOON, mark)).toMatchObject({ stage: 'sent', sentences: [] })
  })

  test('counts confirmations, and recognises a transaction that is not in a block', () => {
    expect(said(swap('user_transfer_pending', {}, [seen('initiated', 3)]))).toBe(
      'Confirming your deposit | 3 of 12 blocks.',
    )
    expect(said(swap('user_transfer_pending', {}, [seen('pending', 0)]))).toContain(
      'We see it, but it isn’t in a block yet. Please don’t send it again.',
    )
    expect(tell(swap('user_transfer_pending', {}, [seen('initiated', 3)]), PROGRESS, NOON).brief).toBe('3 of 12 blocks')
  })

  test('a partial payment shows what arrived', () => {
    const part = { ...seen('completed', 12), amount: 0.06 }
    const asked =
      /0\.06 ETH of 0\.1 ETH arrived\. Send the rest by (.+?)\. After that, we’ll swap what arrived, or refund it/
    const byOf = (fields: object) => asked.exec(said(swap('user_transfer_pending', fields, [part])))?.[1]
    const early = byOf({ waits_until: '2026-11-15T12:02:00.000Z' })
    expect(early).toMatch(/02/)
    expect(byOf({})).not.toBe(early)
  })

  test('a deposit that is checked again after a reorg is not called safe', () => {
    expect(said(swap('ls_transfer_pending'), { ...PROGRESS, held: 'deposit' })).toMatch(
      /^Your payout is delayed \| The network replaced the block with your deposit\./,
    )
  })

  test('while paying, says why it is held, and "longer than usual" only if true', () => {
    expect(said(swap('ls_transfer_pending'))).toBe(
      'Sending 299.12 USDC | Your deposit is confirmed. We’re sending your payout on Base.',
    )
    expect(said(swap('ls_transfer_pending'), PROGRESS, NOON + 120_000)).toContain('longer than usual.')
    expect(said(swap('ls_transfer_pending'), { ...PROGRESS, held: 'review' }, NOON + 120_000)).toBe(
      'Waiting for approval | Your deposit is confirmed and safe. | We’re reviewing this payout of 299.12 USDC.',
    )
    expect(said(swap('ls_transfer_pending'), { ...PROGRESS, held: 'paused' })).toContain('Payouts on Base are paused.')
    expect(said(swap('ls_transfer_pending'), { ...PROGRESS, gives_up_at: '2026-11-15T14:10:00.000Z' })).toContain(
      'If we can’t send it by',
    )
  })

  test('a payout in its blocks is not announced as still to be sent, and shows its own amount', () => {
    const output = { type: 'output', status: 'initiated', confirmations: 1, max_confirmations: 5, amount: 298.9 }
    expect(said(swap('ls_transfer_pending', {}, [output]), { ...PROGRESS, held: 'node' })).toBe(
      'Sending 298.9 USDC | 1 of 5 blocks on Base.',
    )
  })

  test('a refund that costs more than it is worth waits, and nothing is asked', () => {
    const refund = { ...PROGRESS.refund, needs_address: false }
    expect(said(swap('pending_refund'), { ...PROGRESS, refund })).toBe(
      'Refund pending | We’re holding 0.1 ETH for you. We’ll refund it when the network fee is low enough.',
    )
  })

  test.each([
    ['completed', {}, 'You received 299.12 USDC | Arrived on Base in 38 s.'],
    ['expired', {}, 'This swap expired | No deposit arrived in time. If you already sent it,'],
    [
      'pending_refund',
      { fail_reason: 'payout_rejected' },
      'Where should we send your refund? | We’re holding 0.1 ETH for you. | Why: the network rejected our payout to your recipient address.',
    ],
    [
      'failed',
      { fail_reason: 'received_less_than_valid_range' },
      'Where should we send your refund? | We’re holding 0.1 ETH for you. | Why: the deposit was below this swap’s minimum.',
    ],
    [
      'failed',
      { fail_reason: 'deposit_lost' },
      'Where should we send your refund? | We’re holding 0.1 ETH for you. | Why: your deposit arrived after this swap closed.',
    ],
    ['something_new', {}, 'Status not available | This page doesn’t know your swap’s current status.'],
  ])('%s says where the money is', (status, fields, expected) => {
    expect(said(swap(status, fields))).toContain(expected)
  })

  test('owed money has the token that arrived, if the swap asked for another', () => {
    const told = said(swap('pending_refund', {}, [{ ...seen('completed', 12), token: token('USDC') }]))
    expect(told).toContain('0.1 USDC')
    expect(told).not.toContain('ETH')
  })

  test('a failed swap is not called returned while its refund is on its way', () => {
    const back = {
      type: 'refund',
      status: 'initiated',
      token: token('ETH'),
      amount: 0.0996,
      to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    }
    const nothing = { ...PROGRESS, refund: { ...PROGRESS.refund, owed: 0 } }
    const failed = (status: string) =>
      tell(swap('failed', { fail_reason: 'received_more_than_valid_range' }, [{ ...back, status }]), nothing, NOON)
    expect(failed('initiated')).toMatchObject({ stage: 'returning', heading: 'Refunding your deposit' })
    expect(failed('initiated').sentences[0]).toContain('We’re returning 0.0996 ETH to 0x3C44…93BC')
    expect(failed('completed')).toMatchObject({ stage: 'returned', heading: 'Refunded' })
    expect(failed('completed').sentences).toEqual(['0.0996 ETH was returned to 0x3C44…93BC on Ethereum.'])
    const lost = tell(swap('failed', { fail_reason: 'deposit_lost' }), nothing, NOON)
    expect(lost).toMatchObject({ stage: 'failed', heading: 'Deposit dropped', why: null })
  })

  test('a refund names the amount and the address', () => {
    const back = {
      type: 'refund',
      status: 'initiated',
      token: token('ETH'),
      amount: 0.0996,
      to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      confirmations: 0,
      max_confirmations: 1,
    }
    expect(said(swap('refund_pending', { fail_reason: 'degraded_quote' }, [back]))).toContain(
      'We’re returning 0.0996 ETH to 0x3C44…93BC. That’s your deposit minus the network fee. | Why: the price fell below your minimum of 298.37 USDC.',
    )
    expect(said(swap('refunded', {}, [{ ...back, status: 'completed' }]))).toBe(
      'Refunded | 0.0996 ETH was returned to 0x3C44…93BC on Ethereum.',
    )
  })

  test('a refund after a sale is in the token that the sale brought', () => {
    const to = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const back = { type: 'refund', status: 'completed', token: token('USDC'), amount: 299.12, to }
    const details = swap('refunded', {}, [seen('completed', 12), back])
    expect(said(details)).toBe(
      'Refunded | Your deposit was already sold on an exchange. The refund is what the sale brought in, minus the network fee: 299.12 USDC to 0x3C44…93BC.',
    )
    expect(returnOf(details)).toMatchObject({ sent: '0.1', returned: '299.12', fee: null })
  })
})
