/** What a survey has found on the chain: kept in memory, so that a request asks nobody. Until the first one, nothing is there. */
import type { PriceSample } from '../paying/price-history.ts'
import type { Domain } from './typed-data.ts'

/** How a token takes a signature in place of a transaction. */
export type SigningStandard =
  /** `forContracts`: signatures of contract wallets (EIP-1271) are taken too. */
  { kind: 'eip3009'; domain: Domain; forContracts: boolean } | { kind: 'erc2612'; domain: Domain }

export interface Facts {
  /** Deployed, not paused, and our treasury is one of its receivers. */
  depositoryIsOpen: boolean
  paymasterIsDeployed: boolean
  /** Without it what lies on deposit addresses cannot be moved. */
  factoryIsDeployed: boolean
  multicallIsDeployed: boolean
  /** Gas of a call with as many bytes as a deposit, without what the deposit does. */
  callGas: bigint
  /** By contract as the catalogue writes it: what moving the token takes, and which signatures it knows. */
  tokens: Map<string, TokenFacts>
  /** When tokens were last looked at. */
  tokensAt: number
  /** What the chain itself added to a plain transfer, a moment ago. */
  layer: { gas: bigint; at: number } | null
  /** What gas cost lately, oldest first. */
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

/** What others of the same network may take over: all but what is measured anew with every payment. */
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
