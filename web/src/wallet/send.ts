/**
 * Sends a deposit from a wallet: marks the swap first, then asks the wallet. A wallet that does not answer may have
 * sent it.
 */
import { type Step, WalletProblem, type WalletProblemCode } from '@causeway/core/wallet'
import { client } from '../api/client.ts'
import type { VerifiedAction } from '../api/verified.ts'
import { asking, mark, markSent, unmark } from './guard.ts'
import type { Session } from './session.ts'

export type Sent = { state: 'sent'; hash: string | null } | { state: WalletProblemCode | 'not_approved' }

/** The current wallet prompt. */
export interface Asking {
  kind: Step['kind']
  at: number
  of: number
}

/** How long the user may take to confirm in the wallet. */
const PATIENCE_MS = 60_000
/** Timeout of an approval, which must also be mined. */
const APPROVAL_MS = 300_000
/** Problems after which nothing can have been sent. After any other problem the mark stays. */
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
  onAsking: (asking: Asking) => void = () => undefined,
): Promise<Sent> {
  const { swap_id: swapId } = action
  let hash: string | null = null
  let isMarked = false
  asking.value = swapId
  try {
    const steps = await wallet.steps(action, account)
    for (const [index, step] of steps.entries()) {
      const { kind } = step
      onAsking({ kind, at: index + 1, of: steps.length })
      // An approval moves nothing: only the deposit could be sent twice.
      if (kind === 'deposit') mark(swapId, wallet.name)
      isMarked = kind === 'deposit'
      const answer = await within(isMarked ? PATIENCE_MS : APPROVAL_MS, wallet.send(step, account))
      hash = answer.hash
    }
    if (isMarked) markSent(swapId, wallet.name, hash)
    if (hash) void client.speedUp(swapId, hash).catch(() => undefined)
    return { state: 'sent', hash }
  } catch (error) {
    const code = error instanceof WalletProblem ? error.code : 'no_answer'
    if (!isMarked) return { state: UNSENT.includes(code) ? code : 'not_approved' }
    if (UNSENT.includes(code)) unmark(swapId)
    return { state: code }
  } finally {
    asking.value = null
  }
}

function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new WalletProblem('no_answer')), ms))
  return Promise.race([work, late])
}
