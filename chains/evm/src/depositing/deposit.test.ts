import { MAX_REFERENCE } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { depositAction, encodeMemo, memoAlone, memoBehindTransfer } from './deposit.ts'

const RECEIVER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const WORD_RECEIVER = '0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const TRANSFER = `0xa9059cbb${WORD_RECEIVER}00000000000000000000000000000000000000000000000000000000000f4240`
const USDC = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'
const network = sampleNetwork(
  [
    { symbol: 'ETH', contract: null, decimals: 18 },
    { symbol: 'USDC', contract: USDC, decimals: 6 },
  ],
  { name: 'ETHEREUM_SEPOLIA', type: 'evm', chainId: '11155111' },
)

describe('the memo', () => {
  test.each([
    [1n, '0x435357590000000000000001'],
    [255n, '0x4353575900000000000000ff'],
    [1_234_567_890_123n, '0x435357590000011f71fb04cb'],
    [MAX_REFERENCE, '0x43535759001fffffffffffff'],
  ])('%d is these twelve bytes, and reads back', (reference, bytes) => {
    expect(encodeMemo(reference)).toBe(bytes)
    expect(memoAlone(bytes)).toBe(reference)
  })

  test.each([
    ['zero', '0x435357590000000000000000'],
    ['a number above the largest', '0x435357590020000000000000'],
    ['another magic', '0x435357580000000000000001'],
    ['nothing', '0x'],
    ['the magic alone', '0x43535759'],
    ['half a byte before it', '0x0435357590000000000000001'],
  ])('%s is no memo', (_, bytes) => {
    expect(memoAlone(bytes)).toBeNull()
  })

  test('a native deposit is the memo and nothing else', () => {
    expect(memoAlone('0x00435357590000000000000001')).toBeNull()
    expect(memoAlone('0x43535759000000000000000100')).toBeNull()
  })

  test('behind a transfer it is accepted only for the receiver of that transfer', () => {
    const memo = '435357590000000000000007'
    expect(memoBehindTransfer(TRANSFER + memo, RECEIVER)).toBe(7n)
    expect(memoBehindTransfer(TRANSFER + memo, USDC)).toBeNull()
    expect(memoBehindTransfer(`${TRANSFER}00${memo}`, RECEIVER)).toBeNull()
    expect(memoBehindTransfer(`${TRANSFER}${memo}00`, RECEIVER)).toBeNull()
    expect(memoBehindTransfer(TRANSFER.replace('a9059cbb', '23b872dd') + memo, RECEIVER)).toBeNull()
  })
})

describe('depositAction', () => {
  const request = { units: 1_000_000n, receiver: RECEIVER, reference: 77n, sourceAddress: null }

  test('a native deposit goes to the receiver with the memo as its data', () => {
    expect(depositAction({ ...request, token: network.nativeToken })).toEqual({
      type: 'transfer',
      toAddress: RECEIVER,
      units: 1_000_000n,
      callData: '0x43535759000000000000004d',
      gasLimit: null,
      encodedArgs: null,
    })
  })

  test('a token deposit goes to the contract, carries no value, and has the memo behind the transfer', () => {
    expect(depositAction({ ...request, token: tokenOf(network, 'USDC') })).toEqual({
      type: 'transfer',
      toAddress: USDC,
      units: 0n,
      callData: `${TRANSFER}43535759000000000000004d`,
      gasLimit: null,
      encodedArgs: null,
    })
  })
})
