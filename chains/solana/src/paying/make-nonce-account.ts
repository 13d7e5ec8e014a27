/** Makes a nonce account: paid for by a wallet and derived from it, usable by the treasury alone. */
import type { Address } from '@causeway/core'
import { address, createNoopSigner } from '@solana/kit'
import {
  getCreateAccountWithSeedInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system'
import { rentFor } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Wallet } from './keypair.ts'
import { nonceSeed } from './nonce.ts'
import { landFrom } from './send-and-wait.ts'

export async function makeNonceAccount(
  node: Node,
  wallet: Wallet,
  treasury: Address,
  { nonce, number }: { nonce: Address; number: number },
): Promise<void> {
  const [rent] = await node.ask([rentFor(getNonceSize())])
  const payer = createNoopSigner(wallet.address)
  await landFrom(node, wallet, [
    getCreateAccountWithSeedInstruction({
      payer,
      newAccount: address(nonce),
      baseAccount: payer,
      base: wallet.address,
      seed: nonceSeed(number),
      amount: rent,
      space: BigInt(getNonceSize()),
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: address(nonce), nonceAuthority: address(treasury) }),
  ])
}
