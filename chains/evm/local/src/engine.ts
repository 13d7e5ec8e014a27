/**
 * An EVM chain inside this process: the engine of the local chains and of the contract tests. It only answers requests;
 * the caller decides when blocks are mined.
 */
import { RpcError } from '@causeway/devnet/kit'
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  PRAGUE,
} from '@nomicfoundation/edr'

export interface LocalChain {
  request(method: string, params?: readonly unknown[]): Promise<unknown>
}

export interface GenesisAccount {
  address: string
  balance?: bigint
  code?: string
}

export interface LocalChainOptions {
  chainId: bigint
  /** True: one block per transaction. False: blocks are mined only on request. */
  autoMine: boolean
  genesis: readonly GenesisAccount[]
  /** Private keys that the node itself signs with. */
  ownedKeys: readonly string[]
}

/** A JSON-RPC error of the engine. */
export class LocalChainError extends RpcError {
  override name = 'LocalChainError'
}

export const LOCAL_BASE_FEE = 1_000_000_000n
const BLOCK_GAS_LIMIT = 60_000_000n
const COINBASE = 'c014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'

export async function openLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const context = await sharedContext()
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: options.chainId,
      networkId: options.chainId,
      coinbase: Buffer.from(COINBASE, 'hex'),
      defaultTransactionGasLimit: 16_000_000n,
      genesisState: [...l1GenesisState(l1HardforkFromString(PRAGUE)), ...options.genesis.map(override)],
      hardfork: PRAGUE,
      initialBaseFeePerGas: LOCAL_BASE_FEE,
      initialParentBeaconBlockRoot: Buffer.alloc(32),
      minGasPrice: 0n,
      mining: {
        autoMine: options.autoMine,
        blockGasLimit: BLOCK_GAS_LIMIT,
        memPool: { order: MineOrdering.Priority },
      },
      network: { genesisBlockGasLimit: BLOCK_GAS_LIMIT, genesisBlobGas: { gasUsed: 0n, excessGas: 0n } },
      observability: {},
      ownedAccounts: [...options.ownedKeys],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  )
  return {
    async request(method, params = []) {
      const response = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      const answer: Answer = typeof response.data === 'string' ? JSON.parse(response.data) : response.data
      if (answer.error) throw new LocalChainError(answer.error.code, answer.error.message, answer.error.data)
      return answer.result
    },
  }
}

interface Answer {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

let context: Promise<EdrContext> | null = null

/** The engine's threads are shared by all chains of the process. */
function sharedContext(): Promise<EdrContext> {
  context ??= (async () => {
    const made = new EdrContext()
    await made.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
    return made
  })()
  return context
}

function override({ address, balance, code }: GenesisAccount) {
  return {
    address: Buffer.from(address.slice(2), 'hex'),
    ...(balance === undefined ? {} : { balance }),
    ...(code === undefined ? {} : { code: Buffer.from(code.slice(2), 'hex') }),
  }
}
