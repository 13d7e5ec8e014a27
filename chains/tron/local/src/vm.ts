/**
 * Runs contracts on the local chain: EDR's EVM, with one unit of gas per unit of energy and a wei per sun. It adds
 * Tron's differences: contracts are at Tron's addresses, and fees are charged to balances afterwards.
 */
import { Forwarder, ForwarderFactory } from '@causeway/contracts'
import {
  CANCUN,
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
} from '@nomicfoundation/edr'
import { concat, decodeFunctionData, type Hex, keccak256, numberToHex, padHex, toFunctionSelector } from 'viem'
import { energyOf, innerOf, type StructLog } from './internal-transfers.ts'

export interface Outcome {
  isSuccess: boolean
  isOutOfEnergy: boolean
  energy: bigint
  logs: { address: string; topics: string[]; data: string }[]
  inner: { from: string; to: string; value: bigint; isRejected: boolean }[]
  answer: string
}

export type Vm = Awaited<ReturnType<typeof openVm>>

const BLOCK_GAS = 1_000_000_000n
const ALL_GAS = 100_000_000n
const SWEEP = toFunctionSelector('sweep(bytes32[],address[])')
/** The energy of creating a contract on Tron: the creation, and every byte of its code. */
const CREATE_ENERGY = 32_000n
const BYTE_ENERGY = 200n

export async function openVm() {
  const context = new EdrContext()
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: true,
      bailOnCallFailure: false,
      bailOnTransactionFailure: false,
      chainId: 1n,
      networkId: 1n,
      coinbase: Buffer.alloc(20, 9),
      defaultTransactionGasLimit: ALL_GAS,
      genesisState: l1GenesisState(l1HardforkFromString(CANCUN)),
      hardfork: CANCUN,
      initialBaseFeePerGas: 0n,
      initialParentBeaconBlockRoot: Buffer.alloc(32),
      minGasPrice: 0n,
      mining: { autoMine: true, blockGasLimit: BLOCK_GAS, memPool: { order: MineOrdering.Fifo } },
      network: { genesisBlockGasLimit: BLOCK_GAS, genesisBlobGas: { gasUsed: 0n, excessGas: 0n } },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  )
  const acting = new Set<string>()
  const factories = new Set<string>()

  async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const answer = typeof response.data === 'string' ? JSON.parse(response.data) : response.data
    if (answer.error) throw new Error(answer.error.message)
    return answer.result
  }

  const balance = async (address: Hex): Promise<bigint> => BigInt(await ask<Hex>('eth_getBalance', address, 'latest'))
  const setBalance = (address: Hex, units: bigint) => ask('hardhat_setBalance', address, numberToHex(units))
  const codeAt = (address: Hex): Promise<Hex> => ask('eth_getCode', address, 'latest')

  async function actAs(address: Hex): Promise<void> {
    if (acting.has(address)) return
    await ask('hardhat_impersonateAccount', address)
    acting.add(address)
  }

  /** Runs a constructor in place, so that its contract gets an address of our choice. Returns its energy. */
  async function create(at: Hex, from: Hex, creation: Hex, gas: bigint = ALL_GAS): Promise<bigint | null> {
    await ask('hardhat_setCode', at, creation)
    const request = { from, to: at, data: '0x', gas: numberToHex(gas), gasPrice: '0x0' }
    const code = await ask<Hex>('eth_call', request, 'latest')
    const { isSuccess, energy } = await send(from, at, '0x', 0n, gas)
    await ask('hardhat_setCode', at, isSuccess ? code : '0x')
    if (isSuccess && creation.startsWith(ForwarderFactory.bytecode)) factories.add(at)
    const total = energy + CREATE_ENERGY + BYTE_ENERGY * BigInt(code.length / 2 - 1)
    return isSuccess ? total : null
  }

  async function send(from: Hex, to: Hex, data: Hex, value: bigint, energy: bigint): Promise<Outcome> {
    await actAs(from)
    const gas = energy + intrinsic(data)
    const request = { from, to, data, value: numberToHex(value), gas: numberToHex(gas), gasPrice: '0x0' }
    const hash = await ask<Hex>('eth_sendTransaction', request)
    const receipt = await ask<{ status: Hex; gasUsed: Hex; logs: Outcome['logs'] }>('eth_getTransactionReceipt', hash)
    const isSuccess = receipt.status === '0x1'
    const used = BigInt(receipt.gasUsed)
    const trace = await ask<{ structLogs: StructLog[] }>('debug_traceTransaction', hash, { disableStorage: true })
    return {
      isSuccess,
      isOutOfEnergy: !isSuccess && used === gas,
      energy: isSuccess ? energyOf(trace.structLogs) : used > intrinsic(data) ? used - intrinsic(data) : 0n,
      logs: receipt.logs,
      inner: innerOf(to, trace.structLogs),
      answer: '0x',
    }
  }

  /** CREATE2 gives other addresses here than on Tron, so a factory's contracts are put at their Tron addresses. */
  async function placeForwarders(to: Hex, data: Hex): Promise<bigint> {
    if (!factories.has(to) || !data.startsWith(SWEEP)) return 0n
    const { args } = decodeFunctionData({ abi: ForwarderFactory.abi, data })
    const [salts] = args as readonly [readonly Hex[], readonly Hex[]]
    let energy = 0n
    for (const salt of salts) {
      const at = create2(to, salt, Forwarder.bytecode)
      if ((await codeAt(at)) === '0x') energy += (await create(at, to, Forwarder.bytecode)) ?? 0n
    }
    return energy
  }

  return {
    balance,
    setBalance,
    codeAt,
    create,
    setCode: (address: Hex, code: Hex) => ask('hardhat_setCode', address, code),
    storage: (address: Hex, slot: Hex) => ask<Hex>('eth_getStorageAt', address, slot, 'latest'),
    setStorage: (address: Hex, slot: Hex, value: bigint) =>
      ask('hardhat_setStorageAt', address, slot, numberToHex(value, { size: 32 })),
    snapshot: () => ask<Hex>('evm_snapshot'),
    revert: (id: Hex) => ask('evm_revert', id),
    /** Moves coins between two accounts. */
    async pay(from: Hex, to: Hex, value: bigint): Promise<void> {
      const [left, held] = [await balance(from), await balance(to)]
      await setBalance(from, left - value)
      await setBalance(to, (from === to ? left - value : held) + value)
    },
    async run(from: Hex, to: Hex, data: Hex, value: bigint, energy: bigint): Promise<Outcome> {
      const placed = await placeForwarders(to, data)
      const outcome = await send(from, to, data, value, energy > placed ? energy - placed : 0n)
      return { ...outcome, energy: outcome.energy + placed }
    },
    /** Simulates a call without keeping its effects. */
    async attempt(from: Hex, to: Hex, data: Hex): Promise<Outcome> {
      const id = await ask<Hex>('evm_snapshot')
      try {
        const placed = await placeForwarders(to, data)
        const answer = await ask<Hex>(
          'eth_call',
          { from, to, data, gas: numberToHex(ALL_GAS), gasPrice: '0x0' },
          'latest',
        )
        const outcome = await send(from, to, data, 0n, ALL_GAS)
        return { ...outcome, energy: outcome.energy + placed, answer }
      } finally {
        await ask('evm_revert', id)
      }
    },
  }
}

/** The intrinsic gas of an EVM transaction. Tron charges bandwidth instead. */
function intrinsic(data: Hex): bigint {
  let gas = 21_000n
  for (let at = 2; at < data.length; at += 2) gas += data.slice(at, at + 2) === '00' ? 4n : 16n
  return gas
}

function create2(sender: Hex, salt: Hex, code: Hex): Hex {
  return `0x${keccak256(concat(['0x41', sender, salt, keccak256(code)])).slice(-40)}`
}

/** The storage slot of an address's balance in the test tokens. */
export function balanceSlot(address: Hex): Hex {
  return keccak256(`${padHex(address, { size: 32 })}${'0'.repeat(64)}`)
}
