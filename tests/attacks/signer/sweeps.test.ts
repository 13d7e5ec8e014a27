/**
 * Attack A3 by sweeps: they are exempt from all ceilings, because they only move money to the treasury. Whatever
 * sources, amounts and addresses a compromised service names, the signed bytes move nothing anywhere else. Checked by
 * independent decoders.
 */
import type { Order, Token } from '@causeway/core'
import { family as evm } from '@causeway/evm'
import { family as solana } from '@causeway/solana'
import { createTxFromRLP } from '@ethereumjs/tx'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { factoryAddress } from '../../../chains/evm/src/depositing/forwarder.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'
import { readTransaction } from './solana-bytes.ts'

const SOL_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
const THIEF = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const NONCE = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW'
const VALUE = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const [SYSTEM, BUDGET] = ['11111111111111111111111111111111', 'ComputeBudget111111111111111111111111111111']
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const USDC = getAddress('0x036CbD53842c5426634e7929541eC2318f3dCF7e')
const ALICE = getAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')

const indexes = fc.oneof(fc.nat(20), fc.nat(), fc.constantFrom(-1, 2 ** 31, 2 ** 53))
const PLENTY = { max_fees_per_hour: '1000000' }
/** Values that even the attacker's code cannot encode. */
const UNWRITABLE =
  /may (ask for|offer|use)|not a (draft|slot)|out of range|too long|takes 1 to|RangeError|another key|index|not our|is missing/i

async function signedOrNot(asking: Promise<{ bytes: string } | null>): Promise<string | null> {
  const answer = await asking.catch((error: Error) => {
    if (UNWRITABLE.test(`${error.name} ${error.message}`)) return null
    throw error
  })
  return answer?.bytes ?? null
}

it('of a Solana network go to the treasury, by the programs of plain transfers', async () => {
  const network = sampleNetwork(
    [
      { symbol: 'SOL', contract: null, decimals: 9 },
      { symbol: 'USDC', contract: SOL_USDC, decimals: 6 },
    ],
    { name: 'SOLANA_DEVNET', type: 'solana', settings: {} },
  )
  const [sol, usdc] = network.tokens as [Token, Token]
  const { attacker, treasury } = await openSigner(solana, network, PLENTY)
  const adapter = await attacker()
  const own = await Promise.all([0, 1, 2].map(async (index) => adapter.depositAddresses?.derive(index) ?? ''))
  let signed = 0
  let number = 0
  const source = fc.oneof(
    { weight: 3, arbitrary: fc.nat(2).map((index) => ({ index, address: own[index] ?? '' })) },
    fc.record({ index: indexes, address: fc.constantFrom(THIEF, treasury, ...own) }),
  )
  const takings = fc.array(fc.bigInt(0n, 2n ** 64n - 1n).map(String), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(sol, usdc),
      fc.array(source, { maxLength: 3 }),
      takings,
      async (token, sources, taken) => {
        const order: Order = { kind: 'sweep', account: treasury, token, sources }
        const draft = JSON.stringify({ units: '60000', unitPrice: '10000', rent: '0', takings: taken })
        // One slot each: a slot accepts only the first signed content.
        const slot = [`${NONCE}:${nonceValue(++number)}`, `${NONCE}@${number}`]
        const bytes = await signedOrNot(orRefused(adapter, order, slot, draft))
        if (bytes === null) return
        signed++
        const { payer, invocations } = readTransaction(bytes)
        expect(payer).toBe(treasury)
        const [advance, ...rest] = invocations
        expect([advance?.program, advance?.data.toString('hex')]).toEqual([SYSTEM, '04000000'])
        for (const { program, accounts, data } of rest.filter((one) => one.program !== BUDGET)) {
          // A plain transfer to us; creating our account; a transfer into it; closing an emptied account in our favour.
          if (program === SYSTEM) expect([data.readUInt32LE(0), accounts[1]]).toEqual([2, treasury])
          else if (program === ASSOCIATED) expect([accounts[0], accounts[2]]).toEqual([treasury, treasury])
          else {
            expect(program).toBe(TOKEN)
            const home = rest.find((one) => one.program === ASSOCIATED)?.accounts[1]
            if (data[0] === 12) expect(accounts[2]).toBe(home)
            else expect([data[0], accounts[1]]).toEqual([9, treasury])
          }
        }
      },
    ),
    { numRuns: 150 },
  )
  expect(signed).toBeGreaterThan(50)
})

it('of an EVM network are calls of our own factory, without a coin', async () => {
  const network = sampleNetwork(
    [
      { symbol: 'ETH', contract: null, decimals: 18 },
      { symbol: 'USDC', contract: USDC, decimals: 6 },
    ],
    { name: 'ETHEREUM_MAINNET', type: 'evm', chainId: '1', settings: { max_fee_gwei: 100 } },
  )
  const { attacker, treasury } = await openSigner(evm, network, PLENTY)
  const adapter = await attacker({ max_fee_gwei: 1_000_000, max_transfer_gas: 100_000_000 })
  let nonce = 0
  let signed = 0
  const source = fc.record({ index: indexes, address: fc.constantFrom(ALICE, treasury, USDC) })
  const gas = fc.oneof(fc.bigInt(21_000n, 300_000n), fc.bigInt(0n, 2n ** 40n))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...network.tokens),
      fc.array(source, { maxLength: 3 }),
      gas,
      async (token, sources, limit) => {
        const order: Order = { kind: 'sweep', account: treasury, token, sources }
        const terms = { gas: `${limit}`, nonce: '0', maxFeePerGas: '1000000000', maxPriorityFeePerGas: '1' }
        const slot = [`${nonce++}`]
        const bytes = await signedOrNot(orRefused(adapter, order, slot, JSON.stringify(terms)))
        if (bytes === null) return
        signed++
        const read = createTxFromRLP(Buffer.from(bytes.slice(2), 'hex'))
        expect(read.value).toBe(0n)
        expect(read.to?.toString()).toBe(factoryAddress(treasury).toLowerCase())
        // sweep(bytes32[],address[])
        expect(Buffer.from(read.data).toString('hex').slice(0, 8)).toBe('6260d515')
      },
    ),
    { numRuns: 150 },
  )
  expect(signed).toBeGreaterThan(5)
})

/** A unique base58 text of 32 bytes. */
function nonceValue(number: number): string {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  return `${VALUE.slice(0, 42)}${digits[Math.floor(number / 58) % 58]}${digits[number % 58]}`
}
