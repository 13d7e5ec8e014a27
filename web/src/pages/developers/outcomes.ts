/** Outcomes on demand, in a sandbox: each creates a small swap and sends the deposit that leads to the outcome. */
import type { CausewayClient, RouteNetwork } from '@causeway/sdk/light'
import { ask, client } from '../../api/client.ts'
import { keepAmong } from '../../api/storage.ts'
import { sandbox as text } from '../../text/texts.ts'

export interface Outcome {
  name: string
  note: string
  /** How many tenths of the requested amount to send; null to send nothing. */
  tenths: number | 'too much' | null
  usesDepositAddress: boolean
  /** A reorg removes the deposit once it was seen, then it is sent again. */
  reorg?: true
  /** Whether no refund address is given, so that the owner must be asked for one. */
  isHomeless?: true
  /** Delays payouts on the destination network by this time. */
  delaySeconds?: number
}

export const OUTCOMES: Outcome[] = [
  { name: text.happy, note: text.happyNote, tenths: 10, usesDepositAddress: false },
  { name: text.more, note: text.moreNote, tenths: 'too much', usesDepositAddress: true },
  { name: text.owed, note: text.owedNote, tenths: 'too much', usesDepositAddress: true, isHomeless: true },
  { name: text.part, note: text.partNote, tenths: 6, usesDepositAddress: true },
  { name: text.delay, note: text.delayNote, tenths: 10, usesDepositAddress: false, delaySeconds: 60 },
  { name: text.waiting, note: text.waitingNote, tenths: null, usesDepositAddress: false },
  { name: text.reorg, note: text.reorgNote, tenths: 10, usesDepositAddress: false, reorg: true },
]

/** Causes an outcome on demand. Returns the swap's id. */
export async function force(outcome: Outcome, by: Pick<CausewayClient, 'createSwap'> = client): Promise<string> {
  const { tenths, usesDepositAddress, reorg, isHomeless, delaySeconds: seconds } = outcome
  const [a, b] = await twoNetworks()
  const [from, to] = [a.token.symbol, b.token.symbol]
  const ends = { source_network: a.name, source_token: from, destination_network: b.name, destination_token: to }
  const limits = await client.limits({ ...ends, use_deposit_address: usesDepositAddress })
  // A large deposit waits for more confirmations, which leaves time for the reorg.
  const amount = (reorg ? limits.max_amount * 0.9 : limits.min_amount * 10).toFixed(6)
  const [there, back] = await Promise.all([freshAddress(b.name), freshAddress(a.name)])
  const { swap } = await by.createSwap({
    ...ends,
    amount,
    destination_address: there,
    ...(isHomeless ? {} : { refund_address: back }),
    use_deposit_address: usesDepositAddress,
  })
  keepAmong('swaps', swap.id, 100)
  if (seconds) await ask('/sandbox/delay', { network: b.name, seconds })
  if (tenths !== null) {
    const sent = tenths === 'too much' ? limits.max_amount * 1.2 : (Number(amount) * tenths) / 10
    const part = tenths === 10 ? {} : { amount: sent.toFixed(6) }
    await ask('/sandbox/deposit', { swap_id: swap.id, ...part })
  }
  if (reorg) {
    await ask('/sandbox/reorg', { swap_id: swap.id })
    await ask('/sandbox/deposit', { swap_id: swap.id })
  }
  return swap.id
}

async function twoNetworks(): Promise<[RouteNetwork, RouteNetwork]> {
  const networks = (await client.sources()).sort((one, other) => one.source_rank - other.source_rank)
  const [a, b] = networks
  if (!a || !b) throw new Error('two networks are needed')
  return [a, b]
}

async function freshAddress(network: string): Promise<string> {
  return (await ask<{ address: string }>('/sandbox/address', { network })).address
}
