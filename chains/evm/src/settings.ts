/** The `settings` of an EVM network's file, with defaults and clear errors. */
import { type Address, Bug, type Network, parseDecimal, type SettingForm, settingsReader } from '@causeway/core'
import { parseAddress } from './address.ts'
import { FEE_MODELS, type FeeModelName } from './paying/feemodels/index.ts'

export interface Settings {
  /** The most that a payout may offer for gas; above it payouts wait. */
  maxFeePerGas: bigint
  maxTipPerGas: bigint
  minTipPerGas: bigint
  /** Cap as a multiple of the usual gas price of the last half hour. */
  maxFeeMultiple: bigint
  /** Added to the estimate: state changes between estimate and block. */
  gasMarginPercent: bigint
  /** Gas for a recipient with code that every payout's fee includes; a plain transfer takes 21,000. */
  includedGas: bigint
  /**
   * The maximum gas that a quote charges for a recipient's code; a recipient that needs more is not paid. Tokens may
   * use as much.
   */
  chargedGas: bigint
  /** The maximum gas of any transfer, in addition to what the chain itself adds. */
  maxTransferGas: bigint
  /** The gas of a relayed deposit that its quote covers. Its owner's code may run in it. */
  maxRelayGas: bigint
  /** The maximum gas of a relay that is ever signed, including the chain's L1 gas; null: by the other bounds. */
  maxCallGas: bigint | null
  /** The chain rejects transactions with more gas (EIP-7825). */
  maxTransactionGas: bigint
  /** Maximum blocks per scan, if they are read in full. */
  scanBlocks: number
  /**
   * How deposits of coins are found: by reading every block in full; by the balances of our addresses, reading only
   * blocks that changed them; or by the node's traces. The latter two find tokens by log ranges.
   */
  nativeScan: 'blocks' | 'balances' | 'traces'
  /** Maximum blocks per log query; a provider's lower limit is learned. */
  logBlocks: number
  requestTimeoutMs: number
  /** Requests per HTTP call; 1 if a node does not support batches. */
  batchSize: number
  /** How the chain charges for a transaction. */
  feeModel: FeeModelName
  /**
   * The tag that a block must have reached to be final, in addition to depth, if the node knows it. A rollup's
   * `finalized` may be hours old: there `safe`, posted to L1, is the default.
   */
  finalityTag: 'finalized' | 'safe' | 'none'
  /** The most gas that the chain itself may add to a plain transfer; above it payouts wait. 0: it adds none, and is not asked. */
  maxLayerGas: bigint
  /** The maximum charge per byte in addition to gas; above it payouts wait. */
  maxFeePerByte: bigint
  /** Multicall3, if it has another address than on most chains. */
  multicall: Address
  /** False if CREATE2 works differently (zkSync) or no factory is wanted. */
  depositAddresses: boolean
  /** The Depository that deposits are sent to; null: the one that follows from owner and treasury. */
  depository: Address | null
  /** The owner, who may pause it and change its receivers; null: the treasury. The derived address depends on it. */
  depositoryOwner: Address | null
  /** Earlier Depositories: deposits through them are still credited. */
  oldDepositories: Address[]
}

const ADDRESS: SettingForm<Address> = { read: parseAddress, wanted: 'an address' }
const GWEI_DECIMALS = 9
const MOST_GWEI = 1_000_000
/** The same address on every chain that has it, except zkSync's. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const feeModel: FeeModelName = read.oneOf('fee_model', [
    'plain',
    'op_stack',
    'scroll',
    'morph',
    'orbit',
    'zksync',
    'mantle',
  ])
  const { maxLayerGas, maxByteGwei } = FEE_MODELS[feeModel]
  const settings: Settings = {
    maxFeePerGas: read.gwei('max_fee_gwei', 500),
    maxTipPerGas: read.gwei('max_tip_gwei', 100),
    minTipPerGas: read.gwei('min_tip_gwei', 0),
    maxFeeMultiple: BigInt(read.integer('max_fee_multiple', 10, 2, 1_000_000)),
    gasMarginPercent: BigInt(read.integer('gas_margin_percent', 25, 0, 300)),
    includedGas: BigInt(read.integer('included_gas', 60_000, 21_000, 100_000_000)),
    chargedGas: BigInt(read.integer('charged_gas', 200_000, 21_000, 100_000_000)),
    maxTransferGas: BigInt(read.integer('max_transfer_gas', 500_000, 21_000, 100_000_000)),
    maxRelayGas: BigInt(read.integer('max_relay_gas', 250_000, 100_000, 100_000_000)),
    maxCallGas: read.optionalInteger('max_call_gas', 100_000, 1_000_000_000),
    maxTransactionGas: BigInt(read.integer('max_transaction_gas', 16_777_216, 1_000_000, 1_000_000_000)),
    // Full blocks of a busy chain are some 300 kB each: fifty stay well inside a node's answer limit.
    scanBlocks: read.integer('scan_blocks', 50, 1, 1_000),
    nativeScan: read.oneOf('native_scan', ['blocks', 'balances', 'traces']),
    logBlocks: read.integer('log_blocks', 2_000, 1, 100_000),
    requestTimeoutMs: read.integer('request_timeout_ms', 5_000, 100, 60_000),
    batchSize: read.integer('batch_size', 100, 1, 1_000),
    feeModel,
    finalityTag: read.oneOf(
      'finality_tag',
      feeModel === 'plain' ? ['finalized', 'safe', 'none'] : ['safe', 'finalized', 'none'],
    ),
    maxLayerGas: BigInt(read.integer('max_layer_gas', maxLayerGas, 0, 100_000_000)),
    maxFeePerByte: read.gwei('max_byte_gwei', maxByteGwei, 1_000_000_000),
    multicall: read.optional('multicall', ADDRESS) ?? MULTICALL,
    depositAddresses: read.boolean('deposit_addresses', true),
    depository: read.optional('depository', ADDRESS),
    depositoryOwner: read.optional('depository_owner', ADDRESS),
    oldDepositories: read.list('old_depositories', ADDRESS, 'addresses'),
  }
  read.nothingElse()
  if (settings.maxCallGas !== null && settings.maxCallGas < settings.maxRelayGas)
    throw new Bug('max_call_gas must not be below max_relay_gas', { network: network.name })
  const { includedGas, chargedGas, maxTransferGas } = settings
  if (includedGas > chargedGas || chargedGas > maxTransferGas)
    throw new Bug('included_gas, charged_gas and max_transfer_gas must grow in this order', { network: network.name })
  return settings
}

/** The number every transaction of the chain is signed for. */
export function chainIdOf(network: Network): bigint {
  if (network.chainId === null || !/^[1-9]\d{0,15}$/.test(network.chainId)) {
    throw new Bug('an EVM network needs a numeric chain_id', { network: network.name, chainId: network.chainId })
  }
  return BigInt(network.chainId)
}

function reader(network: Network) {
  const read = settingsReader(network)
  return {
    ...read,
    optionalInteger: (key: string, least: number, most: number): bigint | null =>
      read.raw(key) === null ? null : BigInt(read.integer(key, least, least, most)),
    gwei(key: string, fallback: number, most = MOST_GWEI): bigint {
      const value = read.raw(key) ?? fallback
      const wei = typeof value === 'number' && value <= most ? parseDecimal(String(value), GWEI_DECIMALS) : null
      if (wei !== null) return wei
      throw read.wrong(key, value, `a number of gwei from 0 to ${most} with at most nine decimals`)
    },
  }
}
