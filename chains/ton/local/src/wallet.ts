/**
 * Actions of users' wallet apps: sign with the account's key, send, and wait for the money to arrive. They return the
 * hash at the receiving end, which is the visible one there.
 */
import { type Address, Bug, type Devnet, type Token, type TxHash } from '@causeway/core'
import {
  beginCell,
  type Cell,
  external,
  internal,
  loadMessage,
  type MessageRelaxed,
  SendMode,
  storeMessage,
} from '@ton/core'
import { canonical, tonAddress } from '../../src/address.ts'
import { type CallData, commentCell } from '../../src/depositing/deposit.ts'
import { JETTON_NOTIFICATION, JETTON_TRANSFER, type Jettons } from '../../src/jetton.ts'
import { accountState, getMethod, sendBoc } from '../../src/node/calls.ts'
import type { Node } from '../../src/node/node.ts'
import { unitsOf } from '../../src/paying/balance.ts'
import { consumerOf, type Follower } from '../../src/paying/trace.ts'
import { openHistory } from '../../src/scanning/history.ts'
import { destinationOf, normalisedHash, opcodeOf, type TonTransaction } from '../../src/transaction.ts'
import type { LocalAccount } from './accounts.ts'

interface Payment {
  token: Token
  to: Address
  units: bigint
  /** The comment's cell; null for none. */
  payload: Cell | null
}

/** Value sent along with a jetton transfer, as wallets do; the rest is returned. */
const JETTON_VALUE = 100_000_000n
/** Most wallets notify the recipient with the minimum value. */
const FORWARD_VALUE = 1n
const VALID_SECONDS = 600
/** Four blocks are a tenth of a second on our local chain, and half a minute on a slow one. */
const ARRIVAL_TIMEOUT_MS = 60_000
const ARRIVAL_POLL_MS = 10

export interface WalletChain {
  node: Node
  jettons: Jettons
}

export function openWallets(
  chainOf: (network: string) => WalletChain,
  accounts: readonly LocalAccount[],
): Pick<Devnet, 'deposit' | 'transfer' | 'balance'> {
  const turns = new Map<string, Promise<unknown>>()

  /** One account's payments on one chain go out one after the other, so that each gets its own seqno. */
  function payFrom(address: Address, payment: Payment): Promise<TxHash> {
    const account = accounts.find((known) => known.address === address)
    if (!account) throw new Bug('not a test account of this chain', { address })
    const key = `${payment.token.network} ${address}`
    const work = () => pay(chainOf(payment.token.network), account, payment)
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  return {
    deposit({ address }, token, { toAddress, units, callData }) {
      const { comment }: CallData = JSON.parse(callData ?? '{}')
      return payFrom(address, { token, to: canonical(tonAddress(toAddress)), units, payload: commentCell(comment) })
    },
    transfer: ({ address }, token, to, units) => payFrom(address, { token, to, units, payload: null }),
    balance: (token, address) => {
      const { node, jettons } = chainOf(token.network)
      return unitsOf(jettons, node, address, token)
    },
  }
}

async function pay({ node, jettons }: WalletChain, account: LocalAccount, payment: Payment): Promise<TxHash> {
  const message = await messageOf(node, jettons, account, payment)
  return arrival(node, account, await sendFrom(node, account, message), payment)
}

/** Sends a message. Returns the hash of the signed message once a node has accepted it. */
export async function sendFrom(node: Node, account: LocalAccount, message: MessageRelaxed): Promise<string> {
  const { wallet, keys } = account
  const state = await node.ask(accountState(account.address))
  const [seqno] = state.isActive ? (await node.ask(getMethod(account.address, 'seqno', []))).stack : []
  const body = wallet.createTransfer({
    seqno: seqno?.type === 'num' ? Number(seqno.value) : 0,
    secretKey: keys.secretKey,
    timeout: state.time + VALID_SECONDS,
    sendMode: SendMode.PAY_GAS_SEPARATELY,
    messages: [message],
  })
  const sent = external(state.isActive ? { to: wallet.address, body } : { to: wallet.address, body, init: wallet.init })
  const cell = beginCell().store(storeMessage(sent)).endCell()
  await node.ask(sendBoc(cell.toBoc().toString('base64')))
  return normalisedHash(loadMessage(cell.beginParse()))
}

async function messageOf(
  node: Node,
  jettons: Jettons,
  { address, wallet }: LocalAccount,
  { token, to, units, payload }: Payment,
): Promise<MessageRelaxed> {
  const recipient = tonAddress(to)
  if (token.contract === null) {
    return internal({ to: recipient, value: units, bounce: false, ...(payload ? { body: payload } : {}) })
  }
  const body = beginCell()
    .storeUint(JETTON_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(units)
    .storeAddress(recipient)
    .storeAddress(wallet.address)
    .storeBit(false)
    .storeCoins(FORWARD_VALUE)
    .storeMaybeRef(payload)
    .endCell()
  const from = tonAddress(await jettons.walletOf(node, token.contract, address))
  return internal({ to: from, value: JETTON_VALUE, bounce: true, body })
}

/** Follows the money to its recipient. */
async function arrival(node: Node, account: LocalAccount, sentHash: string, { token, to }: Payment): Promise<TxHash> {
  const chain = { history: openHistory(), treasury: { address: '' } }
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS
  while (Date.now() < deadline) {
    const first = await transactionOf(node, account, sentHash)
    const last = first && (await follow(chain, node, first, to, token.contract !== null))
    if (last) return last.hash
    await new Promise((resolve) => setTimeout(resolve, ARRIVAL_POLL_MS))
  }
  throw new Error(`a test account's money did not arrive at ${to}`)
}

async function transactionOf(node: Node, account: LocalAccount, hash: string): Promise<TonTransaction | null> {
  const { last } = await node.ask(accountState(account.address))
  for await (const transaction of openHistory().walk(node, canonical(account.wallet.address), last)) {
    if (transaction.inHash === hash) return transaction
  }
  return null
}

/** The most transactions of a transfer: wallet, sender's jetton wallet, recipient's jetton wallet, recipient. */
const LONGEST_WAY = 4

async function follow(
  chain: Follower,
  node: Node,
  first: TonTransaction,
  to: Address,
  isJetton: boolean,
): Promise<TonTransaction | null> {
  let at: TonTransaction = first
  for (let hops = 0; hops < LONGEST_WAY; hops++) {
    const [only] = at.out
    const notice = at.out.find((message) => opcodeOf(message) === JETTON_NOTIFICATION)
    const message = notice ?? only
    if (!message) throw new Error('a test account sent nothing: too little money?')
    const next = await consumerOf(chain, node, message)
    if (!next) return null
    if (destinationOf(message) === to && (!isJetton || notice)) return next
    at = next
  }
  throw new Error(`a test account's money took a strange way to ${to}`)
}
