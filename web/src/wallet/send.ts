/** Sends a deposit from a wallet: marks it first, then asks; a wallet that keeps silent may have sent it. */
import { WalletProblem, type WalletProblemCode } from '@causeway/core/wallet'
import { client } from '../api/client.ts'
import type { VerifiedAction } from '../api/verified.ts'
import { mark, unmark } from './guard.ts'
import type { Session } from './session.ts'

export type Sent = { state: 'sent'; hash: string | null } | { state: WalletProblemCode }

/** People look for their glasses; after this it is taken as silence. */
const PATIENCE_MS = 60_000
/** What cannot have been sent. After any other problem the mark stays. */
const UNSENT: WalletProblemCode[] = [
  'rejected',
  'locked',
  'busy',
  'wrong_network',
  'wrong_account',
  'funds',
  'gas',
  'unsupported',
]

export async function sendDeposit(
  action: VerifiedAction,
  { wallet, account }: Session,
  patienceMs = PATIENCE_MS,
): Promise<Sent> {
  const { swap_id: swapId } = action
  mark(swapId, wallet.name)
  try {
    const sent = await within(patienceMs, sendAll(action, { wallet, account }))
    if (sent.hash) void client.speedUp(swapId, sent.hash).catch(() => undefined)
    return { state: 'sent', hash: sent.hash }
  } catch (error) {
    const code = error instanceof WalletProblem ? error.code : 'no_answer'
    if (UNSENT.includes(code)) unmark(swapId)
    return { state: code }
  }
}

async function sendAll(action: VerifiedAction, { wallet, account }: Session): Promise<{ hash: string | null }> {
  let last: { hash: string | null } = { hash: null }
  for (const step of await wallet.steps(action, account)) last = await wallet.send(step, account)
  return last
}

function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new WalletProblem('no_answer')), ms))
  return Promise.race([work, late])
}
