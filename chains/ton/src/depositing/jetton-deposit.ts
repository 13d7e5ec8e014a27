/** A deposit's action with where the sender's jettons lie, as far as a node tells: a deposit can be made without knowing it. */
import type { DepositAction, DepositRequest } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { depositAction } from './deposit.ts'

/** What is left out costs a wallet one question; a caller waits no longer for it. */
const PATIENCE_MS = 2_000

export async function depositActionFor({ rpc, jettons }: TonChain, request: DepositRequest): Promise<DepositAction> {
  const { token, sourceAddress: owner } = request
  const master = token.contract
  if (master === null || owner === null) return depositAction(request, null)
  const asked = rpc.use((node) => jettons.walletOf(node, master, owner)).catch(() => null)
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS).unref())
  return depositAction(request, await Promise.race([asked, late]))
}
