/**
 * Fixed vectors from other projects, including real transactions and a real block: both implementations must agree with
 * each.
 */
import { readFileSync } from 'node:fs'
import { callNode } from '@causeway/chain-kit'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { addressOf, encode, isUnpayable, namingFor, parseAccount } from '../../src/address.ts'
import { blockHash } from '../../src/block.ts'
import { documentOf, verifyMessage } from '../../src/depositing/verify-message.ts'
import { accountLock } from '../../src/node/queries.ts'
import { writeFields } from '../../src/protobuf.ts'
import { denomHere, ibcDenom } from '../../src/scanning/messages.ts'
import {
  authBytes,
  bodyBytes,
  digestOf,
  hashOf,
  rawBytes,
  readTransaction,
  sendMessage,
} from '../../src/transaction.ts'
import { addressOfKey, isSigned, moduleAddress, openEnvelope } from './envelope.ts'
import { headerHash, sha256 } from './hashes.ts'

const vectors = JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url), 'utf8'))
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const SECP = '/cosmos.crypto.secp256k1.PubKey'

function coinOf(text: string) {
  const [, units = '', denom = ''] = /^(\d+)(.+)$/.exec(text) ?? []
  return { denom, units: BigInt(units) }
}

describe('addresses', () => {
  const {
    vectors: keys,
    module_accounts: modules,
    refused,
    accepted_and_folded: folded,
    contract_account: contract,
  } = vectors.addresses

  it.each(
    keys as { key?: string; public_key_base64?: string; algorithm?: string; addresses: Record<string, string> }[],
  )('a key has the address that wallets show for it', ({ key, public_key_base64: shown, algorithm, addresses }) => {
    const publicKey = key
      ? secp256k1.getPublicKey(bytesOf(key), true)
      : Uint8Array.from(Buffer.from(shown ?? '', 'base64'))
    const isEth = algorithm === 'eth_secp256k1'
    for (const [prefix, address] of Object.entries(addresses)) {
      expect(addressOf(publicKey, prefix, isEth ? 'eth_secp256k1' : 'secp256k1')).toBe(address)
      expect(addressOfKey(Buffer.from(publicKey), isEth ? '/x.ethsecp256k1.PubKey' : SECP, prefix)).toBe(address)
      expect(parseAccount(address, null)).toBe(prefix.endsWith('valoper') ? null : address)
    }
  })

  it('accounts of modules cannot be paid', () => {
    for (const { module, ...addresses } of modules.vectors as Record<string, string>[])
      for (const [prefix, address] of Object.entries(addresses)) {
        expect(moduleAddress(module ?? '', prefix)).toBe(address)
        expect(isUnpayable(address)).toBe(true)
      }
  })

  it('other networks’ accounts are refused, capitals are folded, and a contract is an account', () => {
    for (const text of refused as string[]) expect(namingFor('cosmos').parseAddress(text), text).toBeNull()
    for (const { text, canonical } of folded as Record<string, string>[])
      expect(namingFor('cosmos').parseAddress(text ?? '')).toBe(canonical)
    expect(namingFor('osmo').parseAddress(contract.address)).toBe(contract.address)
    expect(isUnpayable(contract.address)).toBe(false)
    // Another network's prefix is accepted only if no network is opened.
    expect(namingFor(null).parseAddress(refused.at(-1))).toBe(refused.at(-1))
    expect(encode('osmo', new Uint8Array(20))).toSatisfy(isUnpayable)
  })
})

describe('transactions', () => {
  it.each(vectors.transactions.vectors as Record<string, string | number>[])(
    '$name is written to the byte, signed, and read by both',
    (v) => {
      const isEth = v.digest_hash === 'keccak256'
      const settings = {
        chainId: String(v.chain_id),
        prefix: String(v.from).split('1')[0] ?? '',
        key: isEth ? 'eth_secp256k1' : 'secp256k1',
      } as const
      const secret = bytesOf(String(v.key))
      const unsigned = {
        messages: [sendMessage(String(v.from), String(v.to), coinOf(String(v.amount)))],
        memo: String(v.memo),
        timeoutHeight: 0n,
        signers: [{ publicKey: secp256k1.getPublicKey(secret, !isEth), sequence: BigInt(v.sequence ?? 0) }],
        fee: coinOf(String(v.fee)),
        gas: BigInt(v.gas ?? 0),
        payer: null,
      }
      const body = bodyBytes(unsigned)
      const auth = authBytes(unsigned, isEth ? String(v.public_key_type) : SECP)
      const digest = digestOf(body, auth, settings, BigInt(v.account_number ?? 0))
      if (isEth) expect(hexOf(digest)).toBe(v.digest)
      const signature = secp256k1.sign(digest, secret, { prehash: false, lowS: true })
      expect(hexOf(signature)).toBe(v.signature)
      const raw = rawBytes(body, auth, [signature])
      expect(hexOf(raw)).toBe(v.tx_raw)
      expect(hashOf(raw)).toBe(v.hash)
      expect(readTransaction(raw, settings)?.signers).toMatchObject([
        { address: v.from, sequence: BigInt(v.sequence ?? 0) },
      ])
      const envelope = openEnvelope(Buffer.from(raw))
      const [signer] = envelope.signers
      if (!signer) throw new Error('nobody signed')
      expect(isSigned(envelope, Buffer.from(signature), signer, settings.chainId, BigInt(v.account_number ?? 0))).toBe(
        true,
      )
      expect(isSigned(envelope, Buffer.from(signature), signer, settings.chainId, 7n)).toBe(false)
    },
  )

  it.each(vectors.sign_docs.vectors as Record<string, string | number>[])(
    'the digest of $name is what was signed',
    (v) => {
      const [body, auth] = [bytesOf(String(v.body_bytes)), bytesOf(String(v.auth_info_bytes))]
      const digest = digestOf(
        body,
        auth,
        { chainId: String(v.chain_id), key: 'secp256k1' },
        BigInt(v.account_number ?? 0),
      )
      const publicKey = Uint8Array.from(Buffer.from(vectors.sign_docs.public_key_base64, 'base64'))
      const signature = bytesOf(String(v.signature))
      expect(secp256k1.verify(signature, digest, publicKey, { prehash: false, lowS: true })).toBe(true)
      expect(hashOf(rawBytes(body, auth, [signature]))).toBe(v.hash)
    },
  )

  it.each(vectors.own_transactions.vectors as { name: string }[])('our own: $name', (v) => {
    const { key, chain_id: chainId, account_number: number, from, to } = vectors.own_transactions
    const own = v as unknown as Record<string, string> & { amounts: string[] }
    const secret = bytesOf(key)
    const unsigned = {
      messages: own.amounts.map((amount) => sendMessage(from, to, coinOf(amount))),
      memo: own.memo ?? '',
      timeoutHeight: BigInt(own.timeout_height ?? 0),
      signers: [{ publicKey: secp256k1.getPublicKey(secret, true), sequence: BigInt(own.sequence ?? 0) }],
      fee: coinOf(own.fee ?? ''),
      gas: BigInt(own.gas ?? 0),
      payer: null,
    }
    const [body, auth] = [bodyBytes(unsigned), authBytes(unsigned, SECP)]
    expect([hexOf(body), hexOf(auth)]).toEqual([own.body, own.authInfo])
    const digest = digestOf(body, auth, { chainId, key: 'secp256k1' }, BigInt(number))
    expect(hexOf(digest)).toBe(own.digest)
    const raw = rawBytes(body, auth, [secp256k1.sign(digest, secret, { prehash: false })])
    expect([hexOf(raw), hashOf(raw)]).toEqual([own.txRaw, own.hash])
    const read = readTransaction(raw, { prefix: 'osmo', key: 'secp256k1' })
    expect(read).toMatchObject({
      memo: own.memo,
      timeoutHeight: unsigned.timeoutHeight,
      gas: unsigned.gas,
      fee: [unsigned.fee],
    })
  })

  it.each(vectors.foreign_transactions.vectors as Record<string, string | number>[])('a foreign one: $name', (v) => {
    const raw = bytesOf(String(v.tx_raw))
    const read = readTransaction(raw, { prefix: 'thor', key: 'secp256k1' })
    expect(read).toMatchObject({ memo: v.memo, messages: [{ type: v.message_type }] })
    expect(read?.signers[0]?.sequence).toBe(BigInt(v.sequence ?? 0))
    expect(hashOf(raw)).toBe(v.hash)
  })

  it('bytes that are not an SDK transaction are ignored, and stop nothing', () => {
    for (const bytes of [
      new Uint8Array(),
      Uint8Array.of(1, 2, 3),
      new Uint8Array(200).fill(255),
      Buffer.from('{"blob":1}'),
    ])
      expect(readTransaction(Uint8Array.from(bytes), { prefix: 'osmo', key: 'secp256k1' })).toBeNull()
  })
})

it('a denomination from another chain is the hash of its way', () => {
  for (const { trace, denom } of vectors.ibc_denoms.vectors as { trace: string; denom: string }[]) {
    expect(ibcDenom(trace)).toBe(denom)
    expect(namingFor(null).parseAddress(denom)).toBe(denom)
    expect(namingFor(null).parseAddress(denom.toLowerCase())).toBeNull()
  }
  // A token that returns home loses the last hop of its path.
  expect(denomHere('transfer/channel-9/uosmo', 'transfer/channel-9/', 'transfer/channel-0/')).toBe('uosmo')
  expect(denomHere('transfer/channel-9/transfer/channel-0/uatom', 'transfer/channel-9/', 'transfer/channel-1/')).toBe(
    ibcDenom('transfer/channel-0/uatom'),
  )
})

it('a text signed as wallets sign it is verified by the address alone, and no other text is', async () => {
  for (const { text, signer: address, signBytesUtf8, signature } of vectors.messages.vectors as Record<
    string,
    string
  >[]) {
    if (address === undefined || text === undefined || signature === undefined) throw new Error('a vector is not whole')
    expect(documentOf(address, text)).toBe(signBytesUtf8)
    const settings = { prefix: 'osmo', key: 'secp256k1' } as const
    const base64 = Buffer.from(signature, 'hex').toString('base64')
    const handed = JSON.stringify({ pub_key: { type: 'tendermint/PubKeySecp256k1', value: 'x' }, signature: base64 })
    for (const form of [signature, base64, handed]) {
      expect(await verifyMessage(settings, { address, text, signature: form })).toBe(true)
      expect(await verifyMessage(settings, { address, text: `${text}.`, signature: form })).toBe(false)
    }
    const other = vectors.own_transactions.to
    expect(await verifyMessage(settings, { address: other, text, signature })).toBe(false)
    for (const nonsense of ['', 'hello', '{}', signature.slice(2), '00'.repeat(64)])
      expect(await verifyMessage(settings, { address, text, signature: nonsense })).toBe(false)
  }
})

it('what a vesting account locked is read whatever its kind; of an unknown kind only the type', async () => {
  const { address, original, vectors: accounts } = vectors.vesting_accounts
  const lockOf = (type: string, value: Uint8Array) => {
    const answer = { code: 0, log: '', value: writeFields({ 1: writeFields({ 1: type, 2: value }) }) }
    return accountLock({ ...callNode('node', async () => [answer]) }, address, null)
  }
  for (const { type, value } of accounts) {
    const lock = await lockOf(type, bytesOf(value))
    expect(lock?.kind).toBe(type)
    const told = [...(lock?.original ?? [])].map(([denom, units]) => [denom, units.toString()])
    expect(Object.fromEntries(told)).toEqual(original)
    expect(await lockOf('/some.lockup.v1.LockedAccount', bytesOf(value))).toMatchObject({ original: null })
    expect(await lockOf(type, bytesOf(value).subarray(0, 60))).toMatchObject({ kind: type, original: null })
  }
})

it('the hash of a real block is that of its header, by both sides', () => {
  const [v] = vectors.blocks.vectors
  const [, moment, nanos] = /^(.*)\.(\d{9})Z$/.exec(v.time) ?? []
  const time = { seconds: BigInt(Date.parse(`${moment}Z`) / 1_000), nanos: Number(nanos) }
  const header = {
    blockVersion: BigInt(v.version_block),
    appVersion: BigInt(v.version_app),
    chainId: v.chain_id,
    height: BigInt(v.height),
    time,
    lastBlock: {
      hash: bytesOf(v.last_block_id.hash),
      total: BigInt(v.last_block_id.total),
      partsHash: bytesOf(v.last_block_id.parts_hash),
    },
    lastCommitHash: bytesOf(v.last_commit_hash),
    dataHash: bytesOf(v.data_hash),
    validatorsHash: bytesOf(v.validators_hash),
    nextValidatorsHash: bytesOf(v.next_validators_hash),
    consensusHash: bytesOf(v.consensus_hash),
    appHash: bytesOf(v.app_hash),
    lastResultsHash: bytesOf(v.last_results_hash),
    evidenceHash: bytesOf(v.evidence_hash),
    proposer: bytesOf(v.proposer_address),
  }
  expect(blockHash(header)).toBe(v.hash)
  expect(blockHash({ ...header, height: header.height + 1n })).not.toBe(v.hash)
  // The double's headers have application version 0 and one part: the adapter must compute the same hash.
  const parts = sha256('parts')
  const made = {
    ...{ chainId: v.chain_id, height: 5n, seconds: time.seconds, nanos: BigInt(time.nanos) },
    lastBlock: { hash: sha256('last'), parts },
    ...{
      lastCommit: sha256('a'),
      data: sha256('b'),
      validators: sha256('c'),
      consensus: sha256('d'),
      app: sha256('e'),
    },
    ...{ lastResults: sha256('f'), evidence: sha256('g'), proposer: sha256('h').subarray(0, 20) },
  }
  const same = {
    ...{ blockVersion: 11n, appVersion: 0n, chainId: v.chain_id, height: 5n, time },
    lastBlock: { hash: made.lastBlock.hash, total: 1n, partsHash: parts },
    ...{ lastCommitHash: made.lastCommit, dataHash: made.data, validatorsHash: made.validators },
    ...{ nextValidatorsHash: made.validators, consensusHash: made.consensus, appHash: made.app },
    ...{ lastResultsHash: made.lastResults, evidenceHash: made.evidence, proposer: made.proposer },
  }
  expect(blockHash(same)).toBe(headerHash(made).toString('hex').toUpperCase())
})
