/** Errors of EVM nodes and providers, and what they mean for us. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

/** Chains that charge L1 data as gas (Orbit, zkSync): the gas that a transaction needs changes with the L1 price. */
export const LAYER_ERRORS: readonly ErrorRow[] = [
  {
    class: 'retry',
    text: /intrinsic gas|requires at least \d+ gas/i,
    origin: 'nitro v3.2, arbos/tx_processor.go GasChargingHook: the L1 price rose after the estimate',
    example: 'intrinsic gas too low',
  },
]

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    text: /already ?known|known transaction|already imported/i,
    origin: 'go-ethereum 1.14, core/txpool/errors.go; Nethermind, Parity and geth before 1.10 in other words',
    example: 'already known',
  },
  {
    class: 'known',
    text: /already exists|already in mempool/i,
    origin: 'Erigon 2.60 and CometBFT-based EVM chains (Ethermint 0.22)',
    example: 'tx already in mempool',
  },
  {
    class: 'known',
    text: /nonce (is )?too low/i,
    origin: 'go-ethereum 1.14, core/error.go',
    example: 'nonce too low: next nonce 5, tx nonce 4',
  },
  {
    class: 'behind',
    text: /beyond (the )?(current head|latest)/i,
    origin: 'ethereum/execution-apis tests, 033ca6e6; reth 1.8, nimbus-eth1; Erigon 3 in other words',
    example: 'block range extends beyond current head block',
  },
  {
    class: 'behind',
    text: /unknown block|(block|header).{0,40}(not found|not available|does not exist)|not find block/i,
    origin: 'go-ethereum 1.14, eth/filters/filter.go; Erigon, Nethermind and Besu in other words',
    example: 'unknown block',
  },
  {
    class: 'rate limited',
    text: /rate limit|too many requests/i,
    origin: 'Infura and QuickNode, documentation of errors, 2025',
    example: 'query exceeds rate limit of 25 requests per second',
  },
  {
    class: 'permanent',
    text: /gas limit.*(exceeds|too high)|exceeds (the )?(block|transaction) gas (limit|cap)/i,
    origin: 'go-ethereum 1.14, core/txpool/errors.go; EIP-7825 clients for the cap',
    example: 'exceeds block gas limit',
  },
  {
    class: 'permanent',
    text: /intrinsic gas|requires at least \d+ gas/i,
    origin: 'go-ethereum 1.14, core/error.go; ganache 7 in other words',
    example: 'intrinsic gas too low: gas 20000, minimum needed 21000',
  },
  {
    class: 'permanent',
    text: /oversized data|initcode/i,
    origin: 'go-ethereum 1.14, core/txpool/errors.go and core/error.go',
    example: 'oversized data: transaction size 131200, limit 131072',
  },
  {
    class: 'out of gas',
    text: /out of gas|gas required exceeds|exceeds (the )?gas (limit|allowance)/i,
    origin: 'go-ethereum 1.14, eth/gasestimator/gasestimator.go',
    example: 'gas required exceeds allowance (50000)',
  },
  {
    class: 'recipient refuses',
    code: 3,
    origin: 'ethereum/execution-apis tests, 033ca6e6: geth gives code 3 with the data of a revert',
    example: 'execution reverted: user error',
  },
  {
    class: 'recipient refuses',
    text: /revert/i,
    origin: 'ethereum/execution-apis tests, 033ca6e6: without data the code is -32000',
    example: 'execution reverted',
  },
  {
    class: 'insufficient funds',
    text: /insufficient funds/i,
    origin: 'go-ethereum 1.14, core/error.go',
    example: 'insufficient funds for gas * price + value: balance 0, tx cost 21000',
  },
  {
    class: 'retry',
    text: /invalid block range/i,
    origin: 'go-ethereum 1.14, eth/filters/api.go: the range ends before it begins',
    example: 'invalid block range params',
  },
  {
    class: 'asks too much',
    code: 413,
    origin: 'nginx and Cloudflare in front of nodes: the HTTP status',
    example: 'HTTP 413: the request or its answer is too large',
  },
  {
    class: 'asks too much',
    text: /block range|range (is )?too|too (large|wide|big)|maximum (block )?range|range [\d,]+ exceeds|[\d,]+[- ]block range/i,
    origin: 'geth 1.16 --rpc.rangelimit, Alchemy, Ankr and BSC nodes',
    example: 'exceed maximum block range: 5000',
  },
  {
    class: 'asks too much',
    text: /more than [\d,]+ (results|logs|blocks)|(results|logs|response size|blocks?) (exceed|limit|should not)|limit(ed)? to [\d,]+ (blocks?|results|logs)/i,
    origin: 'Infura and QuickNode, documentation of eth_getLogs, 2025',
    example: 'query returned more than 10000 results',
  },
  {
    class: 'asks too much',
    text: /query (timeout|exceeds)|exceeds? max (results|block)/i,
    origin: 'reth 1.1, crates/rpc/rpc-eth-types/src/error.rs; Infura',
    example: 'query exceeds max results 20000, retry with the range 100-200',
  },
  ...RATE_LIMITS,
]

/** Chain facts that change what an error means. */
export interface Traits {
  /** The chain itself adds gas to every transaction, by the L1 price. */
  addsGas: boolean
}

export function traitsOf({ settings }: { settings: { maxLayerGas: bigint } }): Traits {
  return { addsGas: settings.maxLayerGas > 0n }
}

const PLAIN: Traits = { addsGas: false }

export function classOf(error: NodeError, { addsGas }: Traits = PLAIN): ErrorClass {
  return classOfError(addsGas ? [...LAYER_ERRORS, ...ERRORS] : ERRORS, error)
}

/** The gas bound of a simulation was too low, or the transaction's own gas is. */
export function isOutOfGas(refusal: NodeError, traits?: Traits): boolean {
  const told = classOf(refusal, traits)
  return told === 'out of gas' || told === 'permanent'
}

/** The code ran and refused, or ran beyond the bound. Any other error (no funds, a failing node) may be temporary. */
export function isExecutionFailure(refusal: NodeError, traits?: Traits): boolean {
  return isOutOfGas(refusal, traits) || classOf(refusal, traits) === 'recipient refuses'
}
