import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DESTINATION, GAS, SOURCE } from '../fixtures.ts'
import type { Token } from '../money/network.ts'
import * as ledger from './ledger.ts'
import type { Quote } from './quote.ts'

const units = fc.bigInt({ min: 0n, max: 10n ** 30n })
const quote: fc.Arbitrary<Quote> = fc
  .record({ blockchainFeeUnits: units, serviceFeeUnits: units, refuelInSourceUnits: units, left: units, more: units })
  .map(({ left, more, ...fees }) => ({
    ...fees,
    requestedUnits: left + fees.blockchainFeeUnits + fees.serviceFeeUnits + fees.refuelInSourceUnits,
    refuelUnits: more,
    receiveUnits: left,
    minReceiveUnits: left,
    slippage: 0n,
  }))

const posting = fc.oneof(
  units.map((value) => ledger.depositArrived('swap', 'wallet', SOURCE, value)),
  units.map((value) => ledger.depositArrived(null, 'wallet', SOURCE, value)),
  units.map((value) => ledger.depositAssigned('swap', SOURCE, value)),
  quote.map((each) => ledger.outputPromised('swap', SOURCE, DESTINATION, each)),
  quote.map((each) => ledger.refuelPromised('swap', SOURCE, GAS, each)),
  fc.tuple(units, units).map(([net, fee]) => ledger.refundPromised('swap', SOURCE, net + fee, net)),
  units.map((value) => ledger.remainderKept('swap', SOURCE, value)),
  units.map((value) => ledger.payoutConfirmed('swap', 'wallet', DESTINATION, value)),
  units.map((value) => ledger.rewardPromised('spring', DESTINATION, value)),
  units.map((value) => ledger.rewardPaid('spring', 'wallet', DESTINATION, value)),
  units.map((value) => ledger.networkFeePaid('wallet', GAS, value)),
  units.map((value) => ledger.swept('one', 'two', SOURCE, value)),
  units.map((value) => ledger.depositLost('wallet', SOURCE, value)),
)

function sums(postings: ledger.Posting[], keyOf: (entry: ledger.Entry) => string): Record<string, bigint> {
  const result: Record<string, bigint> = {}
  for (const entry of postings.flatMap(({ entries }) => entries)) {
    result[keyOf(entry)] = (result[keyOf(entry)] ?? 0n) + entry.units
  }
  return Object.fromEntries(Object.entries(result).filter(([, sum]) => sum !== 0n))
}

const byToken = ({ token }: ledger.Entry) => nameOf(token)
const byAccount = ({ account, owner, token }: ledger.Entry) => `${account} ${owner} ${nameOf(token)}`
const nameOf = (token: Token) => `${token.network}/${token.symbol}`

test('every posting sums to zero in each token and has no empty entry', () => {
  fc.assert(
    fc.property(posting, (each) => {
      expect(sums([each], byToken)).toEqual({})
      expect(each.entries.every((entry) => entry.units !== 0n)).toBe(true)
    }),
  )
})

test('a posting and its reverse leave every account unchanged', () => {
  fc.assert(
    fc.property(posting, (each) => {
      expect(sums([each, ledger.reversed(each, 'payout undone')], byAccount)).toEqual({})
    }),
  )
})

describe('a swap in the ledger', () => {
  const terms: Quote = {
    requestedUnits: 100n,
    blockchainFeeUnits: 3n,
    serviceFeeUnits: 2n,
    refuelInSourceUnits: 10n,
    refuelUnits: 7n,
    receiveUnits: 85n,
    minReceiveUnits: 80n,
    slippage: 0n,
  }
  const delivered = [
    ledger.depositArrived('swap', 'here', SOURCE, 100n),
    ledger.outputPromised('swap', SOURCE, DESTINATION, terms),
    ledger.refuelPromised('swap', SOURCE, GAS, terms),
    ledger.payoutConfirmed('swap', 'there', DESTINATION, 85n),
    ledger.payoutConfirmed('swap', 'there', GAS, 7n),
  ]

  test('delivered: nothing is owed to the customer, and what was not delivered is exactly the fees', () => {
    expect(sums(delivered, byAccount)).toEqual({
      'wallet here ALPHA/USDC': 100n,
      'fees house ALPHA/USDC': -5n,
      'exchange house ALPHA/USDC': -95n,
      'exchange house BETA/USDC': 85n,
      'wallet there BETA/USDC': -85n,
      'exchange house BETA/ETH': 7n,
      'wallet there BETA/ETH': -7n,
    })
  })

  test('refunded: the gas is withheld, and the rest has left the wallet', () => {
    const refunded = [
      ledger.depositArrived(null, 'here', SOURCE, 100n),
      ledger.depositAssigned('swap', SOURCE, 100n),
      ledger.refundPromised('swap', SOURCE, 100n, 97n),
      ledger.payoutConfirmed('swap', 'here', SOURCE, 97n),
    ]
    expect(sums(refunded, byAccount)).toEqual({ 'wallet here ALPHA/USDC': 3n, 'fees house ALPHA/USDC': -3n })
  })

  test('lost: the spent part is our loss', () => {
    expect(sums([...delivered, ledger.depositLost('here', SOURCE, 100n)], byAccount)).toMatchObject({
      'loss house ALPHA/USDC': 100n,
      'fees house ALPHA/USDC': -5n,
    })
  })
})
