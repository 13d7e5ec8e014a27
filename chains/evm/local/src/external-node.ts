/**
 * The conformance suite's chain on an external node (Hardhat, Anvil, Ganache, geth --dev, …). It needs only calls that
 * public nodes answer. Money comes from a funding key and our contracts are deployed. If blocks are not made
 * automatically, `evm_mine` makes one, or a transaction if the node does not support that.
 */
import { TestToken } from '@causeway/contracts'
import type { Address, TestAccount } from '@causeway/core'
import { concat, encodeFunctionData, getContractAddress, type Hex, keccak256, parseEther, toBytes } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import {
  type ElsewhereChain,
  type ElsewhereOptions,
  NEEDED_WHOLE,
} from '../../../../tests/support/conformance/external-node.ts'
import { DEPLOYMENT_PROXY, factoryDeployment } from '../../src/depositing/forwarder.ts'
import { chainId, code, header, nativeBalance, send } from '../../src/node/calls.ts'
import { type Node, openNode, Refusal } from '../../src/node/node.ts'
import { testNetwork } from './testbed.ts'
import { openWallets } from './wallet.ts'

/** The private key of the first account of Hardhat, Anvil and our own local chains; it is well known. */
const USUAL_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
/** This transaction created the deployment proxy at its address on every chain. Its sender needs this much for it. */
const PROXY_MAKER = '0x3fAB184622Dc19b6109349B94811493BF2a45362'
const PROXY_COST = parseEther('0.01')
const PROXY_TRANSACTION = concat([
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe',
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f5',
  '0x8015156039578182fd5b8082525050506014600cf3',
  `0x1ba0${'2'.repeat(64)}a0${'2'.repeat(64)}`,
])

export async function openElsewhere({ url, fundingKey = USUAL_KEY, seed }: ElsewhereOptions): Promise<ElsewhereChain> {
  const node = openNode(url, { timeoutMs: 30_000, batchSize: 100 })
  const funder = accountOf(fundingKey as Hex)
  const [id, held] = await node.ask([chainId(), nativeBalance(funder.address)])
  if (held < parseEther(NEEDED_WHOLE.toString())) {
    throw new Error(`${funder.address} needs ${NEEDED_WHOLE} coins: name another key in EVM_FUNDING_KEY`)
  }
  const salt = keccak256(toBytes(seed))
  const usdc = getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt, bytecode: TestToken.bytecode })
  const network = testNetwork({ chainId: id.toString() }, { USDC: usdc })
  const { send: sendFrom, ...wallets } = openWallets(() => ({ node, chainId: Number(id) }))
  const pay = (to: Address, data: Hex, value = 0n) => sendFrom(funder, network.name, { to, value, data })
  return {
    network,
    start: async (treasury) => {
      await placeProxy(node, pay)
      await pay(DEPLOYMENT_PROXY, concat([salt, TestToken.bytecode]))
      const args = ['USD Coin', 'USDC', 6] as const
      await pay(usdc, encodeFunctionData({ abi: TestToken.abi, functionName: 'init', args }))
      const factory = factoryDeployment(treasury)
      await pay(factory.to, factory.data)
      return {
        ...wallets,
        accounts: ['sender', 'other'].map((name) => accountOf(keccak256(toBytes(`${seed} ${name}`)))),
        async fund({ contract }, address, units) {
          if (contract === null) await pay(address, '0x', units)
          else await pay(contract, minting(address, units))
        },
        mine: (_, blocks) => mine(node, blocks, () => pay(funder.address, '0x')),
      }
    },
  }
}

/** Mines blocks. `nudge` sends a transaction, which makes the node mine one. */
async function mine(node: Node, blocks: number, nudge: () => Promise<unknown>): Promise<void> {
  const height = async () => (await node.ask([header('latest')]))[0]?.number ?? 0n
  const target = (await height()) + BigInt(blocks)
  while ((await height()) < target) {
    const [made] = await node.settle([{ method: 'evm_mine', params: [], read: (answer) => answer }])
    if (made instanceof Refusal) await nudge()
  }
}

function minting(address: Address, units: bigint): Hex {
  return encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [address as Hex, units] })
}

async function placeProxy(node: Node, pay: (to: Address, data: Hex, value: bigint) => Promise<unknown>): Promise<void> {
  const isThere = async () => (await node.ask([code(DEPLOYMENT_PROXY)]))[0].length > 2
  if (await isThere()) return
  await pay(PROXY_MAKER, '0x', PROXY_COST)
  await node.ask([send(PROXY_TRANSACTION)])
  // If a later transaction is in a block, so is this one.
  await pay(PROXY_MAKER, '0x', 0n)
  if (!(await isThere()))
    throw new Error(`the node does not take the transaction that puts code at ${DEPLOYMENT_PROXY}`)
}

function accountOf(secret: Hex): TestAccount {
  return { secret, address: privateKeyToAddress(secret) }
}
