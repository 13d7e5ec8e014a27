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

interface StoredLeg extends Pick<LegQuote, 'provider' | 'network' | 'route'> {
  sells: string
  buys: string
  inUnits: string
  outUnits: string
  minUnits: string
  impactBps: string
}

interface StoredLegs {
  sale?: StoredLeg
  purchase?: StoredLeg
}

function storedLegs({ sale, purchase }: Legs): StoredLegs {
  return { ...(sale && { sale: storedLeg(sale) }), ...(purchase && { purchase: storedLeg(purchase) }) }
}

function storedLeg({ sells, buys, inUnits, outUnits, minUnits, impactBps, ...leg }: LegQuote): StoredLeg {
  const units = { inUnits: `${inUnits}`, outUnits: `${outUnits}`, minUnits: `${minUnits}`, impactBps: `${impactBps}` }
  return { ...leg, sells: tokenKey(sells), buys: tokenKey(buys), ...units }
}

function parseLegs({ sale, purchase }: StoredLegs, catalogue: Catalogue): Legs {
  return {
    ...(sale && { sale: parseLeg(sale, catalogue) }),
    ...(purchase && { purchase: parseLeg(purchase, catalogue) }),
  }
}

function parseLeg({ inUnits, outUnits, minUnits, impactBps, ...leg }: StoredLeg, catalogue: Catalogue): LegQuote {
  return {
    ...leg,
    sells: catalogue.token(leg.network, leg.sells),
    buys: catalogue.token(leg.network, leg.buys),
    inUnits: BigInt(inUnits),
    outUnits: BigInt(outUnits),
    minUnits: BigInt(minUnits),
    impactBps: BigInt(impactBps),
  }
}
