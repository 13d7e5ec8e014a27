/** Amounts of a mined sweep by address: those that were signed, because messages succeed together. */
import { Bug, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import { denomOf } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import { readSend } from '../scanning/messages.ts'
import { readTransaction } from '../transaction.ts'

export function sweptBy({ settings }: CosmosChain, { hash, bytes }: SignedTransfer, token: Token): SweptAmount[] {
  const transaction = readTransaction(Uint8Array.from(Buffer.from(bytes, 'base64')), settings)
  if (!transaction) throw new Bug('a sweep that cannot be read', { hash })
  const denom = denomOf(token, settings.denom)
  return transaction.messages.flatMap((message) => {
    const { from = '', coins = [] } = readSend(message) ?? {}
    const taken = coins.filter((coin) => coin.denom === denom)
    return taken.map(({ units }) => ({ address: from, amount: { token, units } }))
  })
}
