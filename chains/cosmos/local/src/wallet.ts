/**
 * Actions of users' wallets on a chain: sign messages with the account's next sequence, send them, and wait for their
 * block.
 */
import type { Devnet, Network, TxHash } from '@causeway/core'
import { denomOf } from '../../src/address.ts'
import { transaction } from '../../src/node/calls.ts'
import { type Node, Refusal } from '../../src/node/node.ts'
import { account, balance } from '../../src/node/queries.ts'
import { PRICE_DECIMALS, parseSettings } from '../../src/settings.ts'
import { authBytes, bodyBytes, digestOf, hashOf, type Message, rawBytes, sendMessage } from '../../src/transaction.ts'
import { accountFrom, addressOn, type LocalAccount } from './accounts.ts'

export interface WalletChain {
  node: Node
  network: Network
}

/** Wallets request more gas than they need, and pay for all of it. */
const WALLET_GAS = 400_000n
/** The fee is this many times the minimum, so that no test depends on a wallet's fee. */
const FEE_FACTOR = 3n
const LANDING_TIMEOUT_MS = 30_000
const LANDING_POLL_MS = 5

export interface Writing {
  messages: readonly Message[]
  memo?: string
  /** Used instead of the chain's next sequence. */
  sequence?: bigint
  timeoutHeight?: bigint
  gas?: bigint
  feeUnits?: bigint
}

export function openWallets(
  chainOf: (network: string) => WalletChain,
): Pick<Devnet, 'deposit' | 'transfer' | 'balance'> {
  const turns = new Map<string, Promise<unknown>>()

  /** One account's payments on one chain are sent one after the other, so that each gets its own sequence. */
  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  const pay: (...payment: [string, string, string | null, string, bigint, string]) => Promise<TxHash> = (
    ...[secret, network, contract, to, units, memo]
  ) =>
    inTurn(`${network} ${secret}`, async () => {
      const chain = chainOf(network)
      const own = accountFrom(secret)
      const coin = { denom: denomOf({ contract }, parseSettings(chain.network).denom), units }
      const messages = [sendMessage(addressOn(chain.network, own), to, coin)]
      return land(chain.node, await signed(chain, own, { messages, memo }))
    })

  return {
    deposit: ({ secret }, token, { toAddress, units, callData }) =>
      pay(secret, token.network, token.contract, toAddress, units, callData ?? ''),
    transfer: ({ secret }, token, to, units) => pay(secret, token.network, token.contract, to, units, ''),
    balance: (token, address) => {
      const { node, network } = chainOf(token.network)
      return balance(node, address, denomOf(token, parseSettings(network).denom), null)
    },
  }
}

export async function signed({ node, network }: WalletChain, own: LocalAccount, writing: Writing): Promise<Uint8Array> {
  const settings = parseSettings(network)
  const state = await account(node, addressOn(network, own), null)
  if (!state) throw new Error('the account holds nothing')
  const { messages, memo = '', sequence = state.sequence, timeoutHeight = 0n, gas = WALLET_GAS } = writing
  const fair = (gas * settings.gasPrice * FEE_FACTOR) / 10n ** BigInt(PRICE_DECIMALS) + 1n
  const fee = { denom: settings.denom, units: writing.feeUnits ?? fair }
  const signers = [{ publicKey: own.publicKey, sequence }]
  const unsigned = { messages, memo, timeoutHeight, signers, fee, gas, payer: null }
  const body = bodyBytes(unsigned)
  const auth = authBytes(unsigned, settings.pubkeyType)
  return rawBytes(body, auth, [own.sign(digestOf(body, auth, settings, state.number))])
}

/** Sends a transaction; resolves once it is in a block. */
export async function land(node: Node, raw: Uint8Array): Promise<TxHash> {
  const sent = { method: 'broadcast_tx_sync', params: [{ tx: Buffer.from(raw).toString('base64') }] }
  const [answer] = await node.ask([{ ...sent, read: (result: unknown) => result as { code: number; log: string } }])
  if (answer.code !== 0) throw new Error(`a node refused it: ${answer.log}`)
  const hash = hashOf(raw)
  for (const deadline = Date.now() + LANDING_TIMEOUT_MS; Date.now() < deadline; ) {
    const [found] = await node.settle([transaction(hash)])
    if (!(found instanceof Refusal)) return hash
    await new Promise((resolve) => setTimeout(resolve, LANDING_POLL_MS))
  }
  throw new Error(`${hash} did not get into a block`)
}
