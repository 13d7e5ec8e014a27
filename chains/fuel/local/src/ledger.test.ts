/** The local chain accepts and rejects like a node: otherwise tests on it would prove nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/bytes.ts'
import { encodeTransaction, idOf } from '../../src/encode.ts'
import { head, headers, receiptsOf, transaction } from '../../src/node/calls.ts'
import { type Output, parseTransaction, type Transaction } from '../../src/transaction.ts'
import { type Lab, openLab, resend, scriptOf } from './testbed.ts'
import { coinInput, type Letter, signed, written } from './wallet.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.devnet.stop())

const base = () => lab.place.baseAsset
const pays = (units: bigint, asset = base()) => ({ type: 'coin', to: lab.other.address, units, asset }) as const
const write = (letter: Letter) => written(lab.place, lab.sender, letter)
const refused = async (letter: Letter, words: string) => {
  await expect(resend(lab, (await write(letter)).raw), words).rejects.toThrow(words)
}

/** A payment that its owner changed before signing. */
async function changed(outputs: Output[], change: (transaction: Transaction) => Transaction): Promise<string> {
  const plain = parseTransaction((await write({ outputs })).raw)
  if (!plain) throw new Error('it is a transaction')
  const other = change(plain)
  const witnesses = [signed(lab.sender, bytesOf(idOf(other, lab.place.chainId)))]
  return encodeTransaction({ ...other, witnesses })
}

describe('the local chain refuses', () => {
  it('a witness of another key, for another chain, or of other bytes', async () => {
    const { raw } = await write({ outputs: [pays(5n)] })
    const grown = parseTransaction(raw)
    if (!grown) throw new Error('it is a transaction')
    const outputs = grown.outputs.map((one) => (one.type === 'coin' ? { ...one, units: 6n } : one))
    await expect(resend(lab, encodeTransaction({ ...grown, outputs }))).rejects.toThrow('InputInvalidSignature')
    const elsewhere = await written({ ...lab.place, chainId: 9_889n }, lab.sender, { outputs: [pays(5n)] })
    await expect(resend(lab, elsewhere.raw)).rejects.toThrow('InputInvalidSignature')
  })

  it('coins that do not exist, differ from their claim, or are spent twice', async () => {
    const [coin] = await lab.coins(lab.sender.address)
    if (!coin) throw new Error('it has coins')
    const letter = (input: typeof coin) => ({ inputs: [coinInput(input)], outputs: [pays(5n)] })
    await refused(letter({ ...coin, index: 9 }), 'UTXO input does not exist')
    await refused(letter({ ...coin, units: coin.units + 1n }), 'CoinMismatch')
    await refused({ inputs: [coinInput(coin), coinInput(coin)], outputs: [pays(5n)] }, 'DuplicateInputUtxoId')
    const { raw } = await write({ outputs: [pays(5n)] })
    await resend(lab, raw)
    await lab.mine()
    await expect(resend(lab, raw)).rejects.toThrow('already known')
  })

  it('more than its coins hold, fees that are not covered, and no fee limit', async () => {
    await refused({ outputs: [pays(5n)], policies: { maxFee: 1n } }, 'InsufficientMaxFee')
    const raise = (units: bigint) => (one: Output) => (one.type === 'coin' ? { ...one, units } : one)
    const usdc = lab.usdc.contract ?? ''
    const greedy = await changed([pays(5n, usdc)], (one) => ({ ...one, outputs: one.outputs.map(raise(2n ** 60n)) }))
    await expect(resend(lab, greedy)).rejects.toThrow('InsufficientInputAmount')
    const broke = await changed([pays(5n)], (one) => ({ ...one, outputs: one.outputs.map(raise(2n ** 60n)) }))
    await expect(resend(lab, broke)).rejects.toThrow('InsufficientFeeAmount')
    const silent = await changed([pays(5n)], (one) => ({ ...one, policies: [] }))
    await expect(resend(lab, silent)).rejects.toThrow('TransactionMaxFeeNotSet')
  })

  it('what is too early or too late', async () => {
    const { number } = await lab.place.node.ask(head())
    await refused({ outputs: [pays(5n)], policies: { maturity: number + 2n } }, 'TransactionMaturity')
    await refused({ outputs: [pays(5n)], policies: { expiration: number } }, 'TransactionExpiration')
    const { raw } = await write({ outputs: [pays(5n)], policies: { expiration: number + 1n, maturity: number + 1n } })
    await resend(lab, raw)
    await lab.mine()
  })

  it('two rests of one asset, and coins of an asset that does not go in', async () => {
    const rest = { type: 'change', to: lab.sender.address, units: 0n, asset: base() } as const
    await refused({ outputs: [pays(5n), rest, rest] }, 'TransactionOutputChangeAssetIdDuplicated')
    const unknown = `0x${'66'.repeat(32)}`
    const other = await changed([pays(5n)], (one) => ({
      ...one,
      outputs: [pays(5n, unknown), ...one.outputs.slice(1)],
    }))
    await expect(resend(lab, other)).rejects.toThrow('TransactionOutputCoinAssetIdNotFound')
    await refused({ outputs: [{ ...rest, asset: unknown }, pays(5n)] }, 'TransactionOutputChangeAssetIdNotFound')
  })

  it('code that does not own the coin, or does not agree', async () => {
    const [coin] = await lab.coins(lab.sender.address)
    if (!coin) throw new Error('it has coins')
    const stranger = coinInput(coin, 0, bytesOf('0x2404000000000000'))
    await refused({ inputs: [stranger], outputs: [pays(5n)] }, 'InputPredicateOwner')
  })

  it('a missing contract, queries that cost too much, and endless pages', async () => {
    const script = scriptOf([{ number: 1n, contract: `0x${'77'.repeat(32)}` }])
    await refused({ ...script, outputs: [{ type: 'contract', inputIndex: 0 }, pays(5n)] }, 'InputContractDoesNotExist')
    await expect(lab.place.node.ask(headers(0n, 1_000))).rejects.toThrow('too complex')
    const ask = (document: string) => lab.place.node.ask({ name: 'x', document, variables: {}, read: () => null })
    await expect(ask('query x { blocks { edges { node { id } } } }')).rejects.toThrow('whole range')
    await expect(ask('query x { chain { nonsense } }')).rejects.toThrow('Unknown field "nonsense" on type "ChainInfo"')
    await expect(ask('query x($h: Int) { block(height: $h) { id } }')).rejects.toThrow('Invalid type of "height"')
  })
})

describe('the local chain keeps to Fuel', () => {
  it('an asset without a rest to go to is burnt', async () => {
    const usdc = lab.usdc.contract ?? ''
    const before = await lab.units(lab.sender.address, lab.usdc)
    const [coin] = await lab.coins(lab.sender.address, lab.usdc)
    await lab.post({ outputs: [pays(5n, usdc)], withoutChange: [usdc] })
    expect(await lab.units(lab.sender.address, lab.usdc)).toBe(before - (coin?.units ?? 0n))
    expect(await lab.units(lab.other.address, lab.usdc)).toBeGreaterThan(5n)
  })

  it('a higher tip replaces, an equal one does not; the replaced one is reported, and a block takes one', async () => {
    const first = await write({ outputs: [pays(5n)], policies: { tip: 4n } })
    const same = await write({ outputs: [pays(6n)], policies: { tip: 4n } })
    const better = await write({ outputs: [pays(7n)], policies: { tip: 5n } })
    const before = await lab.units(lab.other.address)
    await resend(lab, first.raw)
    await expect(resend(lab, same.raw)).rejects.toThrow('Collided')
    await resend(lab, better.raw)
    await lab.mine()
    expect(await lab.units(lab.other.address)).toBe(before + 7n)
    expect(await lab.place.node.ask(transaction(first.id))).toMatchObject({ landed: null, isWaiting: false })
  })

  it('a fee grows with the size, and the unused part is returned', async () => {
    const feeOf = async (outputs: number) => {
      const before = await lab.units(lab.sender.address)
      await lab.post({ outputs: Array.from({ length: outputs }, () => pays(1n)) })
      return before - (await lab.units(lab.sender.address)) - BigInt(outputs)
    }
    const [small, large] = [await feeOf(1), await feeOf(21)]
    expect(small).toBeGreaterThan(0n)
    // Twenty outputs of 80 bytes, at 63 gas per byte plus two tenths, times the gas price.
    const gas = (20n * 80n * 63n + 2n * 160n) * 20_000n
    expect(large - small).toBeGreaterThanOrEqual(gas / 1_150_000n)
    expect(large - small).toBeLessThanOrEqual(gas / 1_150_000n + 1n)
  })

  it('a script may call only listed contracts, and write only to its own stack', async () => {
    const named = scriptOf([{ number: 1n }])
    const before = await lab.units(lab.other.address)
    const unnamed = await lab.post({ ...named, inputs: [], outputs: [pays(9n)] })
    const found = await lab.place.node.ask(receiptsOf(unnamed))
    expect(found).toMatchObject({ isSuccess: false })
    expect(found?.receipts.map(({ receiptType }) => receiptType)).toEqual(['PANIC', 'SCRIPT_RESULT'])
    expect(await lab.units(lab.other.address), 'its coins are paid all the same').toBe(before + 9n)
  })
})
