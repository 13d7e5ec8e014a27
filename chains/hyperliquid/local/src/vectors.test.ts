/**
 * Signed data compared with fixed vectors: by the adapter, by the local chain's own code, and by the public library.
 */
import { parseDecimal } from '@causeway/core'
import { SendAssetTypes, SpotSendTypes, UsdSendTypes } from '@nktkas/hyperliquid/api/exchange'
import { signUserSignedAction } from '@nktkas/hyperliquid/signing'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { canonical, isLosing, isSystemAddress } from '../../src/address.ts'
import { digestOf as adapterDigest, hashOf, type SendAsset, sendAsset, variantOf } from '../../src/paying/action.ts'
import { digestOf, recover, signDigest } from './eip712.ts'
import vectors from './vectors.json' with { type: 'json' }

const { userSigned, negative } = vectors
type Action = Record<string, unknown> & { type: string }
const sends = userSigned.filter(({ action }) => action.type === 'sendAsset')
const TYPES: Record<string, unknown> = { sendAsset: SendAssetTypes, spotSend: SpotSendTypes, usdSend: UsdSendTypes }

it.each(sends)('the adapter encodes and hashes $name as published', ({ action, digest }) => {
  const { destination, sourceDex, destinationDex, token, amount, nonce, hyperliquidChain } =
    action as unknown as SendAsset
  const words = sendAsset({
    ...{ chain: hyperliquidChain, to: canonical(destination), sourceDex, destinationDex },
    ...{ token, amount, nonce, variant: 0 },
  })
  expect(words).toEqual(action)
  expect(variantOf(words)).toBe(0)
  expect(adapterDigest(words)).toBe(digest)
  expect(hashOf([adapterDigest(words)])).toBe(digest)
})

it.each(userSigned)('the local chain hashes $name and recovers its signer', ({ action, digest, signature, signer }) => {
  const own = digestOf(action as Action)
  expect(`0x${bytesToHex(own)}`).toBe(digest)
  expect(recover(own, signature)).toBe(signer)
})

it.each(userSigned)('the local wallets sign $name to the byte', ({ action, private_key: key, signature }) => {
  expect(signDigest(digestOf(action as Action), hexToBytes(key.slice(2)))).toEqual(signature)
})

it.each(userSigned.filter(({ action }) => action.type in TYPES))(
  'the public library signs $name to the byte',
  async (one) => {
    const wallet = privateKeyToAccount(one.private_key as `0x${string}`)
    const types = TYPES[one.action.type] as Parameters<typeof signUserSignedAction>[0]['types']
    const action = one.action as unknown as Parameters<typeof signUserSignedAction>[0]['action']
    expect(await signUserSignedAction({ wallet, action, types })).toEqual(one.signature)
  },
)

it.each(negative)('$name', ({ of, change, digest, recovers }) => {
  const base = userSigned.find(({ name }) => name === of)
  if (!base) throw new Error(`no vector ${of}`)
  const changed = { ...base.action, ...change } as unknown as SendAsset
  expect(adapterDigest(changed)).toBe(digest)
  const own = digestOf(changed as unknown as Action)
  expect(`0x${bytesToHex(own)}`).toBe(digest)
  expect(recover(own, base.signature)).not.toBe(base.signer)
  if (recovers) expect(recover(own, base.signature)).toBe(recovers)
})

it('another variant of a payment has another digest and the same content', () => {
  const [one] = sends
  const action = one?.action as unknown as SendAsset
  const words = { ...action, chain: action.hyperliquidChain, to: canonical(action.destination) }
  const written = [0, 1, 2_047].map((variant) => sendAsset({ ...words, variant }))
  expect(new Set(written.map(adapterDigest)).size).toBe(3)
  for (const { signatureChainId: _, ...said } of written) {
    const { signatureChainId: __, ...first } = action
    expect(said).toEqual(first)
  }
})

it.each(vectors.systemAddresses)('the system address of token $index is not a valid recipient', ({ address }) => {
  expect(isSystemAddress(canonical(address))).toBe(true)
  expect(isLosing(canonical(address))).toBe(true)
})

it.each(vectors.tokens)('$wire of $network is written with eight decimals', ({ wei_decimals, system_address }) => {
  expect(parseDecimal('1', wei_decimals)).toBe(100_000_000n)
  expect(isSystemAddress(canonical(system_address))).toBe(true)
})
