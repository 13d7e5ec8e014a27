/** A deposit action with the sender's jetton wallet, if a node knows it: a deposit is possible without it. */
import type { DepositAction, DepositRequest } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { depositAction } from './deposit.ts'

/** How long an API caller waits for the sender's jetton wallet. Without it a wallet needs one more request. */
const PATIENCE_MS = 2_000

export async function depositActionFor({ rpc, jettons }: TonChain, request: DepositRequest): Promise<DepositAction> {
  const { token, sourceAddress: owner } = request
  const master = token.contract
  if (master === null || owner === null) return depositAction(request, null)
  const asked = rpc.use((node) => jettons.walletOf(node, master, owner)).catch(() => null)
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), PATIENCE_MS).unref())
  return depositAction(request, await Promise.race([asked, late]))
}
