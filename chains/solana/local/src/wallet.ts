/** Actions of users' wallets on a chain: plain transfers, and signing a given transaction. */
import type { Devnet } from '@causeway/core'
import {
  createNoopSigner,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit'
import type { Node } from '../../src/node/node.ts'
import { type Wallet, walletOf } from '../../src/paying/keypair.ts'
import { nativeTransfer, tokenTransfer } from '../../src/paying/order.ts'
import { land, landFrom } from '../../src/paying/send-and-wait.ts'
import { openTokenPrograms, unitsOf } from '../../src/tokens.ts'

export function openWallets(nodeOf: (network: string) => Node): Pick<Devnet, 'deposit' | 'transfer' | 'balance'> {
  const programs = openTokenPrograms()
  return {
    async deposit(account, token, { units, callData }) {
      if (callData === null) throw new Error('a deposit needs its transaction')
      const wallet = await walletOf(account.secret)
      return land(nodeOf(token.network), (blockhash) => signHanded(wallet, callData, { blockhash, units }))
    },
    async transfer(account, token, to, units) {
      const wallet = await walletOf(account.secret)
      const node = nodeOf(token.network)
      const { contract: mint, decimals } = token
      const from = createNoopSigner(wallet.address)
      const instructions =
        mint === null
          ? [nativeTransfer(from, to, units)]
          : await tokenTransfer({
              ...{ from, to, mint, units, decimals, payer: from },
              program: await programs.of(node, mint),
            })
      return landFrom(node, wallet, instructions)
    },
    balance: (token, owner) => unitsOf(nodeOf(token.network), programs, owner, token),
  }
}

/** Inserts a fresh blockhash, as wallets do, and signs. The amount may be changed first. */
async function signHanded(
  wallet: Wallet,
  callData: string,
  change: { blockhash: string; units: bigint },
): Promise<Uint8Array> {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(callData, 'base64'))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version === 1) throw new RangeError('this wallet does not know the version')
  const instructions = message.instructions.map((instruction) => ({
    ...instruction,
    data: withAmount(Uint8Array.from(instruction.data ?? []), change.units),
  }))
  const signed = getCompiledTransactionMessageEncoder().encode({
    ...message,
    instructions,
    lifetimeToken: change.blockhash,
  })
  const bytes = Uint8Array.from(signed)
  return Uint8Array.from([1, ...(await wallet.sign(bytes)), ...bytes])
}

/** Lengths and first bytes of the two transfer instructions; no other instruction of a deposit matches. */
const NATIVE_TRANSFER = { length: 12, first: 2, at: 4 }
const TOKEN_TRANSFER = { length: 10, first: 12, at: 1 }

function withAmount(data: Uint8Array, units: bigint): Uint8Array {
  const form = [NATIVE_TRANSFER, TOKEN_TRANSFER].find(
    ({ length, first }) => data.length === length && data[0] === first,
  )
  if (form) new DataView(data.buffer).setBigUint64(form.at, units, true)
  return data
}
