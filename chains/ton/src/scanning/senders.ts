/**
 * Whether a refund to the sender is safe. Every account is a contract here: only ordinary wallet code is known to
 * belong to a person; anything else (an exchange, a pool, a highload wallet) may keep the money.
 */
import { boundedSet } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import {
  WalletContractV1R1,
  WalletContractV1R2,
  WalletContractV1R3,
  WalletContractV2R1,
  WalletContractV2R2,
  WalletContractV3R1,
  WalletContractV3R2,
  WalletContractV4,
  WalletContractV5Beta,
  WalletContractV5R1,
} from '@ton/ton'
import { isLosing } from '../address.ts'
import { accountState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export interface Senders {
  /** The sender if a refund reaches it, else null. */
  refundable(node: Node, sender: Address | null): Promise<Address | null>
}

const REMEMBERED = 5_000

/**
 * With a quorum each node is asked each time: a wallet may be deleted before the second node has seen it, so nothing is
 * remembered.
 */
export function openSenders(remembers: boolean): Senders {
  const wallets = boundedSet<string>(REMEMBERED)
  return {
    async refundable(node, sender) {
      if (sender === null || isLosing(sender)) return null
      // Cached per node: one node's answer must not be used for another.
      const key = `${node.name} ${sender}`
      if (remembers && wallets.has(key)) return sender
      const { codeHash } = await node.ask(accountState(sender))
      if (codeHash === null || !WALLET_CODES.has(codeHash)) return null
      wallets.add(key)
      return sender
    },
  }
}

const anybody = { workchain: 0, publicKey: Buffer.alloc(32) }

const WALLET_CODES = new Set(
  [
    WalletContractV1R1.create(anybody),
    WalletContractV1R2.create(anybody),
    WalletContractV1R3.create(anybody),
    WalletContractV2R1.create(anybody),
    WalletContractV2R2.create(anybody),
    WalletContractV3R1.create(anybody),
    WalletContractV3R2.create(anybody),
    WalletContractV4.create(anybody),
    WalletContractV5Beta.create({ publicKey: anybody.publicKey }),
    WalletContractV5R1.create({ publicKey: anybody.publicKey }),
  ].map(({ init }) => init.code.hash().toString('hex')),
)
