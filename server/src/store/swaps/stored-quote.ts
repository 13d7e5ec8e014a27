/** A quote as it is stored with its swap: units as text, and the tokens of its legs by their keys. */
import { type Catalogue, type LegQuote, type Legs, type Quote, tokenKey } from '@causeway/core'

export function quoteParts({ legs, ...units }: Quote): Record<string, string> {
  const parts = Object.fromEntries(Object.entries(units).map(([name, value]) => [name, String(value)]))
  return legs ? { ...parts, legs: JSON.stringify(storedLegs(legs)) } : parts
}

export function parseQuote(stored: Record<string, string> | null, catalogue: Catalogue): Quote | null {
  if (!stored) return null
  const { legs, ...units } = stored
  const parts = Object.fromEntries(Object.entries(units).map(([name, value]) => [name, BigInt(value)]))
  return { ...parts, ...(legs && { legs: parseLegs(JSON.parse(legs), catalogue) }) } as unknown as Quote
}

interface StoredLegQuote extends Pick<LegQuote, 'provider' | 'network' | 'route'> {
  sells: string
  buys: string
  inUnits: string
  outUnits: string
  expectedUnits?: string
  minUnits: string
  impactBps: string
}

interface StoredLegs {
  sale?: StoredLegQuote
  purchase?: StoredLegQuote
}

function storedLegs({ sale, purchase }: Legs): StoredLegs {
  return { ...(sale && { sale: storedLeg(sale) }), ...(purchase && { purchase: storedLeg(purchase) }) }
}

/** The exchange that a depositor makes is stored beside the quote, as its own column. */
export function storedLeg({ sells, buys, expectedUnits, ...leg }: LegQuote): StoredLegQuote {
  const { inUnits, outUnits, minUnits, impactBps } = leg
  const units = { inUnits: `${inUnits}`, outUnits: `${outUnits}`, minUnits: `${minUnits}`, impactBps: `${impactBps}` }
  const expected = expectedUnits !== undefined && { expectedUnits: `${expectedUnits}` }
  return { ...leg, sells: tokenKey(sells), buys: tokenKey(buys), ...units, ...expected }
}

function parseLegs({ sale, purchase }: StoredLegs, catalogue: Catalogue): Legs {
  return {
    ...(sale && { sale: parseLeg(sale, catalogue) }),
    ...(purchase && { purchase: parseLeg(purchase, catalogue) }),
  }
}

export function parseUserExchange(stored: Record<string, string>, catalogue: Catalogue): LegQuote {
  return parseLeg(stored as unknown as StoredLegQuote, catalogue)
}

function parseLeg({ expectedUnits, ...leg }: StoredLegQuote, catalogue: Catalogue): LegQuote {
  const { inUnits, outUnits, minUnits, impactBps } = leg
  return {
    ...leg,
    ...(expectedUnits !== undefined && { expectedUnits: BigInt(expectedUnits) }),
    sells: catalogue.token(leg.network, leg.sells),
    buys: catalogue.token(leg.network, leg.buys),
    inUnits: BigInt(inUnits),
    outUnits: BigInt(outUnits),
    minUnits: BigInt(minUnits),
    impactBps: BigInt(impactBps),
  }
}
