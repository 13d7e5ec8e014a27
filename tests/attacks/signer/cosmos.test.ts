/**
 * Attack A3 on Cosmos: whatever the draft says, the treasury signs only the order, for its own chain, with a bounded
 * fee.
 */
import type { Order, Token } from '@causeway/core'
import { family } from '@causeway/cosmos'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moneyOf, openEnvelope } from '../../../chains/cosmos/local/src/envelope.ts'
import { fieldsOf, listAt, textAt } from '../../../chains/cosmos/local/src/wire.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'

const USDC = 'ibc/498A0751C798A0D9A389AA3691123DADA57DAA4FE165D5C75894505B876BA6E4'
const ALICE = 'osmo18s0hdnsllgcclweu9aymw4ngktr2k0rkvn7jmn'
const MOST_FEE = 400_000n
const SETTINGS = { prefix: 'osmo', denom: 'uosmo', gas_price: '0.03', max_gas_price: '1' }

const network = sampleNetwork(
  [
    { symbol: 'OSMO', contract: null, decimals: 6 },
    { symbol: 'USDC', contract: USDC, decimals: 6 },
  ],
  { name: 'OSMOSIS_TESTNET', type: 'cosmos', chainId: 'osmo-test-5', settings: SETTINGS },
)
const [osmo, usdc] = network.tokens as [Token, Token]
const paying = (account: string, ...transfers: [Token, bigint][]): Order => ({
  ...{ kind: 'transfers', account },
  transfers: transfers.map(([token, units]) => ({ to: ALICE, amount: { token, units } })),
})
const draftOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    ...{ accountNumber: '1', sequence: '0', gas: '100000', feeUnits: '5000', timeoutHeight: '1000', sources: [] },
    ...changes,
  })
const key = { curve: 'secp256k1', path: "m/44'/118'/0'/0/0" } as const

describe('the signer of a Cosmos chain', () => {
  it('offers no more gas and no more for it than its own file allows', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const lax = await attacker({ max_gas_price: '1000000', max_message_gas: 50_000_000 })
    const order = paying(treasury, [osmo, 1n])
    const slot = [`${treasury}/1`]
    const sign = (changes: Record<string, unknown>) => orRefused(lax, order, slot, draftOf(changes))
    expect(await sign({ feeUnits: '100001' })).toBeNull()
    expect(await sign({ gas: '400001', feeUnits: '5000' })).toBeNull()
    expect(await sign({ gas: '50000000', feeUnits: '50000000' })).toBeNull()
    expect(await sign({ feeUnits: '100000' })).not.toBeNull()
  })

  it('knows one spelling of a slot: a number is never signed for two orders', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, network)
    const slot = [`${treasury}/7`]
    expect(await orRefused(await attacker(), paying(treasury, [osmo, 1n]), slot, draftOf())).not.toBeNull()
    const rival = paying(treasury, [osmo, 2n])
    await expect((await attacker()).sign(rival, slot, draftOf())).rejects.toThrow('was signed for another order')
    const other = treasury.toUpperCase()
    const slots = [
      [`${treasury}/07`],
      [`${treasury}/7/`],
      [`${other}/7`],
      ['7'],
      [],
      [`${treasury}/7`, `${ALICE}/0`],
      [`${ALICE}/7`],
    ]
    for (const wrong of slots) {
      const intent = { network: network.name, order: rival, slot: wrong, draft: draftOf() }
      await expect(askFor(intent)).rejects.toThrow(/slot|digest/)
    }
  })

  it('signs no digest of the caller’s, and none for another chain', async () => {
    const { signer, attacker, treasury } = await openSigner(family, network)
    const order = paying(treasury, [usdc, 1n])
    const slot = [`${treasury}/3`]
    const intent = { network: network.name, order, slot, draft: draftOf() }
    await expect(signer.sign(key, new Uint8Array(32).fill(7), intent)).rejects.toThrow('no bare digest')
    const elsewhere = await family.open({
      network: { ...network, chainId: 'osmosis-1' },
      signer,
      log: { info() {}, warn() {}, error() {} },
    })
    expect(await orRefused(elsewhere, order, slot, draftOf())).toBeNull()
    expect(await orRefused(await attacker(), order, slot, draftOf())).not.toBeNull()
  })

  it('serves one network per chain id: a signature would be valid on the other', async () => {
    const both = [network, { ...network, name: 'OSMOSIS_MAINNET' }]
    await expect(refuseSharedDomains({ networks: both } as never, async () => family)).rejects.toThrow(
      'OSMOSIS_TESTNET too',
    )
    const apart = [network, { ...network, name: 'OSMOSIS_MAINNET', chainId: 'osmosis-1' }]
    await refuseSharedDomains({ networks: apart } as never, async () => family)
  })
})

it('whatever order and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, network, { max_fees_per_hour: '1000000' })
  const lax = await attacker({ max_gas_price: '1000000', max_message_gas: 50_000_000 })
  let signed = 0
  let number = 0
  const transfer = fc.tuple(fc.constantFrom(osmo, usdc), fc.bigInt(1n, 10n ** 12n))
  const some = (least: bigint, most: bigint) =>
    fc
      .oneof({ weight: 9, arbitrary: fc.bigInt(least, most) }, { weight: 1, arbitrary: fc.bigInt(-5n, 2n ** 80n) })
      .map(String)
  const hostile = fc.record(
    {
      accountNumber: some(0n, 1_000n),
      gas: some(100_000n, 401_000n),
      feeUnits: some(0n, 110_000n),
      timeoutHeight: some(1n, 10n ** 9n),
      memo: fc.constant('7000000001'),
      payer: fc.constant(ALICE),
      sources: fc.constantFrom([], [{ address: ALICE, accountNumber: '1', sequence: '0', units: '5' }]),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(transfer, { maxLength: 4 }), hostile, async (transfers, changes) => {
      const order: Order =
        transfers.length === 0 ? { kind: 'cancel', account: treasury } : paying(treasury, ...transfers)
      const slot = [`${treasury}/${number++}`]
      const answer = await orRefused(lax, order, slot, draftOf(changes)).catch((error: Error) => {
        if (/not a draft|may offer|may ask|slot is of/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      signed++
      const { messages, memo, fee, payer, signers, signatures } = openEnvelope(Buffer.from(answer.bytes, 'base64'))
      const sends = messages.map(({ type, value }) => {
        const fields = fieldsOf(value)
        return [type, textAt(fields, 1), textAt(fields, 2), ...listAt(fields, 3).map(moneyOf)]
      })
      const type = '/cosmos.bank.v1beta1.MsgSend'
      const wanted = transfers.map(([token, amount]) => [
        type,
        treasury,
        ALICE,
        { denom: token.contract ?? 'uosmo', amount },
      ])
      expect(sends).toEqual(
        transfers.length === 0 ? [[type, treasury, treasury, { denom: 'uosmo', amount: 1n }]] : wanted,
      )
      expect([memo, payer, signers.length, signatures.length]).toEqual(['', '', 1, 1])
      const paid = fee.reduce((sum, { amount }) => sum + amount, 0n)
      expect(paid <= MOST_FEE * BigInt(Math.max(1, transfers.length))).toBe(true)
      expect(fee.every(({ denom }) => denom === 'uosmo')).toBe(true)
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(20)
})
