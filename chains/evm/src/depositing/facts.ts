/**
 * Results of a survey of the chain, kept in memory so that an API request asks no node. Before the first survey
 * everything counts as absent.
 */
import type { PriceSample } from '../paying/price-history.ts'
import type { Domain } from './typed-data.ts'

/** How a token accepts a signature instead of a transaction. */
export type SigningStandard =
  /** `forContracts`: signatures of contract wallets (EIP-1271) are accepted too. */
  { kind: 'eip3009'; domain: Domain; forContracts: boolean } | { kind: 'erc2612'; domain: Domain }

export interface Facts {
  /** Whether the Depository is deployed, not paused, and has our treasury as a receiver. */
  depositoryIsOpen: boolean
  paymasterIsDeployed: boolean
  /** Whether the factory is deployed. Without it, coins on deposit addresses cannot be moved. */
  factoryIsDeployed: boolean
  multicallIsDeployed: boolean
  /** Gas of a call with as many bytes as a deposit, without the deposit's own work. */
  callGas: bigint
  /** Per contract (as the catalogue writes it): the gas of a transfer, and the signing standard. */
  tokens: Map<string, TokenFacts>
  /** When the tokens were last surveyed. */
  tokensAt: number
  /** Gas that the chain recently added to a plain transfer. */
  layer: { gas: bigint; at: number } | null
  /** Recent gas prices, oldest first. */
  prices: PriceSample[]
}

export interface TokenFacts {
  transferGas: bigint
  standard: SigningStandard | null
}

export function unknownFacts(): Facts {
  return {
    depositoryIsOpen: false,
    paymasterIsDeployed: false,
    factoryIsDeployed: false,
    multicallIsDeployed: false,
    callGas: 0n,
    tokens: new Map(),
    tokensAt: Number.NEGATIVE_INFINITY,
    layer: null,
    prices: [],
  }
}

/** The facts that other processes of the same network may reuse: all except those measured for every payment. */
export function formatFacts({ layer: _, tokens, tokensAt, ...facts }: Facts): string {
  const plain = { ...facts, tokens: [...tokens], tokensAt: Number.isFinite(tokensAt) ? tokensAt : null }
  return JSON.stringify(plain, (_key, value) => (typeof value === 'bigint' ? { number: `${value}` } : value))
}

export function parseFacts(text: string): Omit<Facts, 'layer'> {
  const read = JSON.parse(text, (_key, value) => {
    const isNumber = typeof value === 'object' && value !== null && typeof value.number === 'string'
    return isNumber ? BigInt(value.number) : value
  })
  return { ...read, tokens: new Map(read.tokens), tokensAt: read.tokensAt ?? Number.NEGATIVE_INFINITY }
}
