/**
 * Surveys the chain: our contracts in every round, the abilities of tokens rarely. API requests are answered from these
 * results.
 */
import { Depository } from '@causeway/contracts'
import { encodeFunctionData, getAddress, type Hex, padHex, size } from 'viem'
import type { EvmChain } from '../chain.ts'
import { code, contractCall, estimateGas } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { word } from '../paying/balance.ts'
import { encodeTransfer } from './deposit.ts'
import { depositoryAction } from './depository.ts'
import type { TokenFacts } from './facts.ts'
import { factoryAddress } from './forwarder.ts'
import { standardOf } from './probe.ts'

/**
 * Interval of token surveys. Tokens change with an upgrade of their contract, gas with an upgrade of the chain: both
 * are rare.
 */
const TOKENS_EVERY_MS = 10 * 60_000
/** Gas of a transfer if the treasury has no balance to simulate with: the large stablecoins need less. */
const USUAL_TRANSFER_GAS = 65_000n
const USUAL_CALL_GAS = 30_000n
/** The intrinsic gas of a transaction, which is counted only once. */
const INTRINSIC_GAS = 21_000n
/** Additional gas of the Depository, measured with a margin (contracts/README.md has the figures). */
const NATIVE_DEPOSIT_GAS = 55_000n
const TOKEN_DEPOSIT_GAS = 50_000n

export async function survey(chain: EvmChain, now: number = Date.now()): Promise<void> {
  const { contracts, facts } = chain
  await chain.rpc.use(async (node) => {
    const [deployed, listed, paused, paymaster, factory] = await node.settle([
      code(contracts.depository),
      depositoryCall(chain, 'isWhitelisted'),
      depositoryCall(chain, 'paused'),
      code(contracts.paymaster),
      code(factoryAddress(chain.treasury)),
    ])
    const isThere = !(deployed instanceof Refusal) && deployed.length > 2
    facts.depositoryIsOpen = isThere && isWord(listed, 1n) && isWord(paused, 0n)
    facts.paymasterIsDeployed = !(paymaster instanceof Refusal) && paymaster.length > 2
    facts.factoryIsDeployed = !(factory instanceof Refusal) && factory.length > 2
    // A contract that was missing in the last survey may be deployed by now.
    const isNew = facts.depositoryIsOpen && facts.callGas === 0n
    if (now - facts.tokensAt < TOKENS_EVERY_MS && !isNew) return
    facts.callGas = facts.depositoryIsOpen ? await gasOfCall(chain, node) : 0n
    const [multicall] = await node.ask([code(chain.settings.multicall)])
    facts.multicallIsDeployed = multicall.length > 2
    const tokens = chain.network.tokens.flatMap(({ contract }) => (contract === null ? [] : [contract]))
    facts.tokens = new Map(
      await Promise.all(tokens.map(async (contract) => [contract, await lookAt(chain, node, contract)] as const)),
    )
    facts.tokensAt = now
  })
}

/** The gas of a deposit through the Depository, with the same margin as payouts. */
export function depositGas({ facts, settings }: EvmChain, contract: string | null): bigint {
  const moving = contract === null ? 0n : (facts.tokens.get(contract)?.transferGas ?? USUAL_TRANSFER_GAS)
  const doing = contract === null ? NATIVE_DEPOSIT_GAS : TOKEN_DEPOSIT_GAS + moving
  return ((facts.callGas + doing) * (100n + settings.gasMarginPercent)) / 100n
}

async function lookAt(chain: EvmChain, node: Node, contract: string): Promise<TokenFacts> {
  const { treasury } = chain
  const data = encodeTransfer(chain.contracts.depository, 1n)
  const [[gas], standard] = await Promise.all([
    node.settle([estimateGas({ from: treasury, to: contract, data })]),
    standardOf(chain, node, getAddress(contract)),
  ])
  return { standard, transferGas: gas instanceof Refusal ? USUAL_TRANSFER_GAS : gas - INTRINSIC_GAS }
}

/** A call that does almost nothing and is as long as a deposit: it shows what the chain charges for the bytes. */
async function gasOfCall(chain: EvmChain, node: Node): Promise<bigint> {
  const { treasury, contracts } = chain
  const [token] = chain.network.tokens.filter(({ contract }) => contract !== null)
  const longest = depositoryAction(
    contracts.depository,
    {
      token: token ?? chain.network.nativeToken,
      units: 2n ** 128n,
      receiver: treasury,
      reference: 1n,
      sourceAddress: null,
    },
    0n,
  ).callData as Hex
  const asking = encodeFunctionData({
    abi: Depository.abi,
    functionName: 'isWhitelisted',
    args: [getAddress(treasury)],
  })
  const data = `${asking}${'ff'.repeat(Math.max(0, size(longest) - size(asking)))}`
  const [gas] = await node.settle([estimateGas({ from: treasury, to: contracts.depository, data })])
  return gas instanceof Refusal ? USUAL_CALL_GAS : gas
}

function depositoryCall({ contracts, treasury }: EvmChain, functionName: 'isWhitelisted' | 'paused') {
  const data =
    functionName === 'paused'
      ? encodeFunctionData({ abi: Depository.abi, functionName })
      : encodeFunctionData({ abi: Depository.abi, functionName, args: [getAddress(treasury)] })
  return contractCall({ to: contracts.depository, data })
}

function isWord(answer: string | Refusal, value: bigint): boolean {
  return (
    !(answer instanceof Refusal) && answer === padHex(`0x${value.toString(16)}`, { size: 32 }) && word(answer) === value
  )
}
