/**
 * Attacks A3 and A6 on Tron: whatever the slot and the draft say, at most the order and a bounded fee leave, within the
 * hour.
 */
import type { Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/tron'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base58Of } from '../../../chains/tron/local/src/accounts.ts'
import { bufferIn, numberIn, readTransaction } from '../../../chains/tron/local/src/transaction.ts'
import { encodeRaw, idOf } from '../../../chains/tron/src/transaction.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const ALICE = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'
const MALLORY = 'TWWb9EjUWai17YEVB7FR8hreupYJKG9sMR'
/** Addresses in the form that contracts use. */
const HEX: Record<string, string> = {
  [ALICE]: '5cd0fb0ab3ce40f3051414c604b27756e69e43db',
  [MALLORY]: 'e151e4937bca41df55a67697724d9a64efcffdd5',
}
const TRX = 1_000_000n
const HOUR_MS = 3_600_000
const KEY = { curve: 'secp256k1', path: "m/44'/195'/0'/0/0" } as const

const network: Network = sampleNetwork(
  [
    { symbol: 'TRX', contract: null, decimals: 6 },
    { symbol: 'USDT', contract: USDT, decimals: 6 },
  ],
  { name: 'TRON_MAINNET', type: 'tron', settings: { genesis: '0'.repeat(64) } },
)
const [trx, usdt] = network.tokens as [Token, Token]
const paying = (account: string, token: Token, units: bigint, to = ALICE): Order => ({
  ...{ kind: 'transfers', account },
  transfers: [{ to, amount: { token, units } }],
})
const draftOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    reference: `0000000005101${'4e80dbf5923643f95'.repeat(3)}`,
    time: 1_785_490_773_000,
    feeLimit: '13100000',
    ...changes,
  })

/** The content of the bytes, decoded by code that shares nothing with the encoder. */
function readBytes(bytes: string) {
  const { type, body, owner, feeLimit, expiration, memo, raw } = readTransaction(Buffer.from(bytes, 'hex'))
  const at = (name: string) => base58Of(bufferIn(body, name).toString('hex'))
  const terms = { owner: base58Of(owner), feeLimit, expiration, memo: memo.length, raw }
  if (type === 'TransferContract')
    return { ...terms, type, to: at('to_address'), units: numberIn(body, 'amount'), data: '' }
  const data = bufferIn(body, 'data').toString('hex')
  return { ...terms, type, to: at('contract_address'), units: numberIn(body, 'call_value'), data }
}

describe('the signer of a Tron network', () => {
  it('lets no more burn than its own file allows', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const lax = await attacker({ max_fee_limit: '10000' })
    const order = paying(treasury, usdt, 1n)
    for (const [sun, isSigned] of [
      [60n * TRX, true],
      [60n * TRX + 1n, false],
      [10_000n * TRX, false],
    ] as const) {
      const draft = draftOf({ feeLimit: `${sun}` })
      const slot = await lax.nextSlot(order, draft, [])
      expect((await orRefused(lax, order, slot, draft)) !== null).toBe(isSigned)
    }
    // A coin transfer needs no energy: a reserved fee limit would be for something else.
    const coins = paying(treasury, trx, 1n)
    const slot = await lax.nextSlot(coins, draftOf({ feeLimit: '1' }), [])
    await expect(lax.sign(coins, slot, draftOf())).rejects.toThrow('are allowed')
  })

  it('signs one transaction in a slot, and that of the order', async () => {
    const { signer, askFor, attacker, treasury } = await openSigner(family, network)
    const honest = await attacker()
    const order = paying(treasury, trx, 5n * TRX)
    const slot = await honest.nextSlot(order, draftOf({ feeLimit: '0' }), [])
    const other = paying(treasury, trx, 5n * TRX, MALLORY)
    const theirs = await honest.nextSlot(other, draftOf({ feeLimit: '0' }), [])
    const digest = (id = '') => new Uint8Array(Buffer.from(id, 'hex'))
    const intents = [
      // The order of the slot with the bytes of another one.
      { digest: digest(theirs[0]), order, slot },
      // Another order that claims this slot.
      { digest: digest(slot[0]), order: other, slot },
      { digest: digest(theirs[0]), order: other, slot: [slot[0] ?? '', theirs[1] ?? ''] },
    ]
    for (const { digest: bytes, ...intent } of intents) {
      await expect(signer.sign(KEY, bytes, { network: network.name, draft: draftOf(), ...intent })).rejects.toThrow()
    }
    expect(await orRefused(honest, order, slot, draftOf())).not.toBeNull()
    for (const wrong of [[slot[0] ?? ''], [...slot, 'x'], [slot[0] ?? '', `${slot[1]}0`], ['', slot[1] ?? '']]) {
      const intent = { network: network.name, order, slot: wrong, draft: draftOf() }
      await expect(askFor(intent)).rejects.toThrow()
    }
  })

  it('signs nothing that stays good for longer than an hour', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const honest = await attacker()
    const order = paying(treasury, trx, TRX)
    const [, terms = ''] = await honest.nextSlot(order, draftOf({ feeLimit: '0' }), [])
    const [reference, , timestamp] = terms.split('@')
    const longer = `${reference}@${Number(timestamp) + HOUR_MS + 1}@${timestamp}@0`
    await expect(honest.sign(order, ['0'.repeat(64), longer], draftOf())).rejects.toThrow('another order')
    const contract = { kind: 'transfer', owner: treasury, to: ALICE, units: TRX } as const
    const at = Number(timestamp)
    const raw = encodeRaw(contract, {
      reference: reference ?? '',
      expiration: at + HOUR_MS + 1,
      timestamp: at,
      feeLimit: 0n,
    })
    await expect(honest.sign(order, [idOf(raw), longer], draftOf())).rejects.toThrow('more than an hour')
  })

  it('serves one network only: a signature names none, and the requester chooses the reference block', async () => {
    const both = [network, { ...network, name: 'TRON_TESTNET', settings: { genesis: '1'.repeat(64) } }]
    await expect(refuseSharedDomains({ networks: both } as never, async () => family)).rejects.toThrow(
      'TRON_MAINNET too',
    )
  })
})

it('whatever order, slot and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, network, { max_fees_per_hour: '1000000' })
  const lax = await attacker({ max_fee_limit: '10000000', expiration_seconds: 3_600, max_lead_seconds: 1_000_000 })
  let signed = 0
  const hostile = fc.record(
    {
      reference: fc.constantFrom('ff'.repeat(32), '0'.repeat(64)),
      time: fc.oneof(
        fc.integer({ min: 1, max: Date.now() }),
        fc.integer({ min: -HOUR_MS, max: 200 * HOUR_MS }).map((ms) => Date.now() + ms),
      ),
      feeLimit: fc.oneof(fc.bigInt(0n, 70n * TRX), fc.bigInt(0n, 10n ** 12n)).map(String),
    },
    { requiredKeys: [] },
  )
  const transfer = fc.tuple(fc.constantFrom(trx, usdt), fc.bigInt(1n, 10n ** 12n), fc.constantFrom(ALICE, MALLORY))
  await fc.assert(
    fc.asyncProperty(transfer, hostile, async ([token, units, to], changes) => {
      const order = paying(treasury, token, units, to)
      const draft = draftOf(token === trx ? { ...changes, feeLimit: '0' } : changes)
      const slot = await lax.nextSlot(order, draft, [])
      const answer = await orRefused(lax, order, slot, draft)
      if (!answer) return
      signed++
      const read = readBytes(answer.bytes)
      expect([read.owner, read.memo]).toEqual([treasury, 0])
      expect(read.feeLimit <= 60n * TRX).toBe(true)
      expect(Number(read.expiration)).toBeLessThanOrEqual(Date.now() + HOUR_MS + 60_000)
      if (token === trx)
        expect([read.type, read.to, read.units, read.feeLimit]).toEqual(['TransferContract', to, units, 0n])
      else {
        const data = `a9059cbb${HEX[to]?.padStart(64, '0')}${units.toString(16).padStart(64, '0')}`
        expect([read.type, read.to, read.units, read.data]).toEqual(['TriggerSmartContract', USDT, 0n, data])
      }
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(50)
})
