import { catalogueOf, type Network, type Quote, type Token } from '@causeway/core'
import { expect, test } from 'vitest'
import { parseQuote, quoteParts } from './stored-quote.ts'

const token = (symbol: string, contract: string | null) => ({ network: 'A', symbol, contract, decimals: 6 }) as Token
const hub = token('ETH', null)
const pooled = token('UNI', '0xuni')
const catalogue = catalogueOf([{ name: 'A', nativeToken: hub, tokens: [hub, pooled] } as Network])

const PLAIN: Quote = {
  requestedUnits: 100n,
  blockchainFeeUnits: 1n,
  serviceFeeUnits: 2n,
  refuelInSourceUnits: 0n,
  refuelUnits: 0n,
  receiveUnits: 10n ** 40n,
  minReceiveUnits: 95n,
  slippage: 10n ** 16n,
}

test('a stored quote is read back the same, with and without legs', () => {
  const leg = {
    provider: 'uniswap',
    network: 'A',
    inUnits: 97n,
    outUnits: 96n,
    minUnits: 95n,
    route: '{}',
    impactBps: 3n,
  }
  const sale = { ...leg, sells: pooled, buys: hub }
  const purchase = { ...leg, sells: hub, buys: pooled }
  for (const quote of [
    PLAIN,
    { ...PLAIN, legs: { sale } },
    { ...PLAIN, legs: { sale: { ...sale, expectedUnits: 94n } } },
    { ...PLAIN, legs: { purchase } },
    { ...PLAIN, legs: { sale, purchase } },
  ]) {
    expect(parseQuote(JSON.parse(JSON.stringify(quoteParts(quote))), catalogue)).toEqual(quote)
  }
  expect(quoteParts(PLAIN)).not.toHaveProperty('legs')
  expect(parseQuote(null, catalogue)).toBeNull()
})
