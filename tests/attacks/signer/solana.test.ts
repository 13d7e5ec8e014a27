/**
 * Attack A3 on Solana: whatever the draft says, the treasury signs only for the programs of plain transfers, with a
 * bounded fee.
 */
import type { Order, Token } from '@causeway/core'
import { family } from '@causeway/solana'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withNonce } from '../../../chains/solana/src/paying/message.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'
import { readTransaction } from './solana-bytes.ts'

const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
const NEWER = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const ALICE = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const NONCE = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW'
const VALUE = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const PROGRAMS = {
  system: '11111111111111111111111111111111',
  budget: 'ComputeBudget111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associated: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
}
const EVIL = 'Stake11111111111111111111111111111111111111'
const MOST_UNIT_PRICE = 5_000_000n
const slot = (seen: number | string) => [`${NONCE}:${VALUE}`, `${NONCE}@${seen}`]

const network = sampleNetwork(
  [
    { symbol: 'SOL', contract: null, decimals: 9 },
    { symbol: 'USDC', contract: USDC, decimals: 6 },
    { symbol: 'NEW', contract: NEWER, decimals: 6 },
  ],
  { name: 'SOLANA_DEVNET', type: 'solana', settings: { token_2022: [NEWER] } },
)
const [sol, usdc, newer] = network.tokens as [Token, Token, Token]
const paying = (account: string, ...transfers: [Token, bigint][]): Order => ({
  ...{ kind: 'transfers', account },
  transfers: transfers.map(([token, units]) => ({ to: ALICE, amount: { token, units } })),
})
const draftOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({ units: '60000', unitPrice: '10000', rent: '0', takings: [], ...changes })

describe('the signer of a Solana network', () => {
  it('signs for no program of the draft with the treasury as signer', async () => {
    const { signer, attacker, treasury } = await openSigner(family, network)
    const order = paying(treasury, [usdc, 1n])
    const draft = draftOf({ programs: { [USDC]: EVIL } })
    // The draft contains the attacker's bytes: they want the treasury's signature for their own program.
    const drain = {
      programAddress: EVIL as never,
      accounts: [{ address: treasury as never, role: 3 }],
      data: Uint8Array.of(12, 1, 0, 0, 0, 0, 0, 0, 0, 6),
    }
    const [use = '', since = ''] = slot(1)
    const message = withNonce(treasury, { account: NONCE, value: VALUE }, [drain])
    const key = { curve: 'ed25519', path: "m/44'/501'/0'/0'" } as const
    const intent = { network: network.name, order, slot: [use, since], draft }
    await expect(signer.sign(key, Uint8Array.from(message.messageBytes), intent)).rejects.toThrow('no bare digest')
    const answer = await orRefused(await attacker(), order, [use, since], draft)
    const programs = readTransaction(answer?.bytes ?? '').invocations.map(({ program }) => program)
    expect(programs).toEqual([
      ...[PROGRAMS.system, PROGRAMS.budget, PROGRAMS.budget],
      ...[PROGRAMS.associated, PROGRAMS.token],
    ])
  })

  it('offers no more for compute units than its own file allows', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const lax = await attacker({ max_unit_price: 1_000_000_000 })
    const order = paying(treasury, [sol, 1n])
    expect(await orRefused(lax, order, slot(1), draftOf({ units: '1400000', unitPrice: '1000000000' }))).toBeNull()
    expect(await orRefused(lax, order, slot(1), draftOf({ unitPrice: `${MOST_UNIT_PRICE + 1n}` }))).toBeNull()
    expect(await orRefused(lax, order, slot(1), draftOf({ unitPrice: `${MOST_UNIT_PRICE}` }))).not.toBeNull()
  })

  it('knows one spelling of a slot: the value of a nonce account is never signed for two orders', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, network)
    expect(await orRefused(await attacker(), paying(treasury, [sol, 1n]), slot(1), draftOf())).not.toBeNull()
    const rival = paying(treasury, [sol, 2n])
    await expect((await attacker()).sign(rival, slot(2), draftOf())).rejects.toThrow('was signed for another order')
    const [use = '', since = ''] = slot(1)
    const others = [[`${use}:`, since], [`${use}:x`, since], slot('01'), [`${use}1`, since], [use], [use, since, since]]
    for (const other of others) {
      const intent = { network: network.name, order: rival, slot: other, draft: draftOf() }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
  })

  it('serves one cluster only: a signature names none, and would be good on the other', async () => {
    const both = [network, { ...network, name: 'SOLANA_MAINNET' }]
    await expect(refuseSharedDomains({ networks: both } as never, async () => family)).rejects.toThrow(
      'SOLANA_DEVNET too',
    )
  })
})

it('whatever order and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, network, { max_fees_per_hour: '1000000' })
  const lax = await attacker({ max_unit_price: 1_000_000_000 })
  let signed = 0
  let number = 0
  const transfer = fc.tuple(fc.constantFrom(sol, usdc, newer), fc.bigInt(1n, 10n ** 12n))
  const units = fc.oneof(fc.bigInt(0n, 1_400_000n), fc.bigInt(-5n, 2n ** 70n)).map(String)
  const hostile = fc.record(
    {
      units,
      unitPrice: fc.oneof(fc.bigInt(0n, MOST_UNIT_PRICE), fc.bigInt(-5n, 2n ** 70n)).map(String),
      rent: fc.bigInt(-5n, 2n ** 70n).map(String),
      takings: fc.array(fc.bigInt(0n, 2n ** 64n - 1n).map(String), { maxLength: 3 }),
      programs: fc.constantFrom({ [USDC]: EVIL }, { [USDC]: PROGRAMS.token2022 }, { [NEWER]: PROGRAMS.token }),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(transfer, { maxLength: 4 }), hostile, async (transfers, changes) => {
      const order: Order =
        transfers.length === 0 ? { kind: 'cancel', account: treasury } : paying(treasury, ...transfers)
      const use = [`${NONCE}:${nonceValue(number++)}`, `${NONCE}@1`]
      const answer = await orRefused(lax, order, use, draftOf(changes)).catch((error: Error) => {
        if (/may ask for|may offer|out of range|too long/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      signed++
      const { payer, signers, invocations } = readTransaction(answer.bytes)
      expect([payer, ...signers]).toEqual([treasury, treasury])
      const [advance, limit, price, ...rest] = invocations
      expect([advance?.program, advance?.data.toString('hex')]).toEqual([PROGRAMS.system, '04000000'])
      expect(limit?.program).toBe(PROGRAMS.budget)
      expect(price?.program).toBe(PROGRAMS.budget)
      const paid = BigInt(limit?.data.readUInt32LE(1) ?? 0) * (price?.data.readBigUInt64LE(1) ?? 0n)
      expect([limit?.data[0], price?.data[0]]).toEqual([2, 3])
      expect(paid <= 1_400_000n * MOST_UNIT_PRICE).toBe(true)
      for (const [token, amount] of transfers) {
        if (token === sol) {
          const move = rest.shift()
          expect([move?.program, move?.accounts]).toEqual([PROGRAMS.system, [treasury, ALICE]])
          expect([move?.data.readUInt32LE(0), move?.data.readBigUInt64LE(4)]).toEqual([2, amount])
          continue
        }
        const [make, move] = [rest.shift(), rest.shift()]
        const program = token === newer ? PROGRAMS.token2022 : PROGRAMS.token
        const [funder, account, owner, mint] = make?.accounts ?? []
        expect([make?.program, funder, owner, mint]).toEqual([PROGRAMS.associated, treasury, ALICE, token.contract])
        const [, moved, to, authority] = move?.accounts ?? []
        expect([move?.program, moved, to, authority]).toEqual([program, token.contract, account, treasury])
        expect([move?.data[0], move?.data.readBigUInt64LE(1), move?.data[9]]).toEqual([12, amount, 6])
      }
      expect(rest).toEqual([])
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(5)
})

/** A unique base58 text of 32 bytes. */
function nonceValue(number: number): string {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const [low = '1', high = '1'] = [digits[number % 58], digits[Math.floor(number / 58) % 58]]
  return `${VALUE.slice(0, 42)}${high}${low}`
}
