/** Payouts use durable nonces: without a nonce account nothing can be paid. */
import type { SetupStep } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { accounts } from '../node/calls.ts'
import { nonceValue } from './nonce.ts'

export async function missingSetup({ rpc, nonces, treasury }: SolanaChain): Promise<SetupStep[]> {
  const [found] = await rpc.use((node) => node.ask([accounts(nonces)]))
  if (found.accounts.some((account) => nonceValue(account, treasury) !== null)) return []
  const command = `node chains/solana/src/setup.ts --node URL --treasury ${treasury} --keypair FILE`
  return [{ what: 'there is no nonce account', closes: ['payouts'], command }]
}
