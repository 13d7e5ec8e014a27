/**
 * The simulated chains as a local devnet: the sandbox and the conformance suite use it to fund, mine, reorg and
 * deposit. It accesses the chain directly, so that a failing node fails the service and not its users.
 */
import {
  type Address,
  Bug,
  type Devnet,
  type DevnetFamily,
  type Network,
  type TestAccount,
  type Token,
  type TxHash,
} from '@causeway/core'
import { hashOf, type Transaction } from '../../src/transaction.ts'
import { accountFrom, signedBy } from './account.ts'
import { createSimulatedChain, type SimulatedChain } from './blockchain.ts'
import { findChain, registerChain, unregisterChain } from './registry.ts'

const ACCOUNTS = 5
/** The initial balance of each test account, in whole tokens of every kind. */
const RICHES = 1_000_000n

export const devnet: DevnetFamily = {
  type: 'starkex',
  start: async ({ networks }) => {
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountFrom(`of user ${index}`))
    for (const network of networks) registerChain(network.name, chainFor(network, accounts))
    return devnetOver(networks, accounts)
  },
}

function devnetOver(networks: readonly Network[], accounts: readonly TestAccount[]): Devnet {
  const chainOf = (network: string) => findChain(network).chain
  return {
    engine: 'simulated chain, in memory',
    simulated: true,
    nodes: Object.fromEntries(networks.map(({ name }) => [name, `simulated://${name}`])),
    accounts,
    fund: async (token, address, units) => chainOf(token.network).mint(address, token.contract, units),
    mine: async (network, blocks) => chainOf(network).mine(blocks),
    reorg: async (network, depth) => chainOf(network).reorg(depth),
    deposit: async (account, token, { toAddress, units, callData }) =>
      send(chainOf(token.network), account, token, toAddress, units, callData),
    transfer: async (account, token, to, units) => send(chainOf(token.network), account, token, to, units, null),
    balance: async (token, address) => chainOf(token.network).balance(address, token.contract),
    stop: async () => {
      for (const { name } of networks) unregisterChain(name)
    },
  }
}

function chainFor(network: Network, accounts: readonly TestAccount[]): SimulatedChain {
  const chain = createSimulatedChain({ network: network.name })
  for (const token of network.tokens) {
    for (const { address } of accounts) chain.mint(address, token.contract, RICHES * 10n ** BigInt(token.decimals))
  }
  return chain
}

/** Signs, sends and mines a transaction, as a user's wallet on a chain that mines at once. */
function send(
  chain: SimulatedChain,
  account: TestAccount,
  token: Token,
  to: Address,
  units: bigint,
  memo: string | null,
): TxHash {
  const transaction: Transaction = {
    network: chain.network,
    account: account.address,
    nonce: chain.nonce(account.address),
    fee: chain.feePerMove,
    memo,
    moves: [{ from: account.address, to, contract: token.contract, units }],
  }
  const answer = chain.submit(signedBy(transaction, account))
  const hash = hashOf(transaction)
  chain.mine()
  if (!chain.find(hash)) throw new Bug('a test account could not send', { answer, token: token.symbol, units })
  return hash
}
