/**
 * Fixed vectors of the family, most of them published with its client library: our codec and the local chain's agree
 * with them.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { keyAddress, parseAddress } from '../../src/address.ts'
import { bytesOf, hexOf, sha256 } from '../../src/bytes.ts'
import { WATCH_SCRIPT, watchData } from '../../src/depositing/script.ts'
import { verifyMessage } from '../../src/depositing/verify-message.ts'
import { encodeTransaction, idOf, scriptParts } from '../../src/encode.ts'
import { isRootOf } from '../../src/receipts.ts'
import { compactOf, signerOf } from '../../src/signature.ts'
import {
  type Input,
  type Output,
  POLICY,
  parseTransaction,
  policyOf,
  receiptsRootOf,
  type Transaction,
} from '../../src/transaction.ts'
import { contractId, decodeScript, predicateAddress, recovered, transactionId, treeRoot, unhex } from './codec.ts'
import { receiptBytes } from './machine.ts'
import vectors from './vectors.json' with { type: 'json' }
import { WATCHDOG_CODE, WATCHDOG_ID } from './watchdog.ts'

interface Written {
  script: string
  scriptData: string
  gasLimit: number
  policies: Record<string, number>
  inputs: Record<string, unknown>[]
  outputs: Record<string, unknown>[]
  witnesses: string[]
}

function transactionOf(raw: unknown): Transaction {
  const { script, scriptData, gasLimit, policies, inputs, outputs, witnesses } = raw as Written
  const bytes = (value: unknown) => bytesOf(String(value ?? '0x'))
  return {
    kind: 0,
    ...scriptParts(bytesOf(script), bytesOf(scriptData), BigInt(gasLimit)),
    policies: Object.entries(POLICY).flatMap(([name, bit]) => (policies[name] ? [[bit, BigInt(policies[name])]] : [])),
    inputs: inputs.map((one): Input => {
      const code = { predicate: bytes(one.predicate), predicateData: bytes(one.predicateData) }
      const units = BigInt(String(one.amount))
      const witnessIndex = Number(one.witnessIndex)
      if (one.type === 'message') {
        const { sender, recipient, nonce } = one as Record<string, string>
        const ends = { sender: sender ?? '', recipient: recipient ?? '', nonce: nonce ?? '' }
        return { type: 'message', ...ends, units, witnessIndex, data: bytes(one.data), ...code }
      }
      const { txId, owner, assetId } = one as Record<string, string>
      const coin = { txId: txId ?? '', index: Number(one.outputIndex), owner: owner ?? '', asset: assetId ?? '' }
      return { type: 'coin', ...coin, units, witnessIndex, ...code }
    }),
    outputs: outputs.map((one): Output => {
      const { to, assetId } = one as Record<string, string>
      const type = one.type === 'change' ? 'change' : 'coin'
      return { type, to: to ?? '', units: BigInt(String(one.amount ?? 0)), asset: assetId ?? '' }
    }),
    witnesses: witnesses.map((witness) => bytesOf(witness)),
  }
}

function signedBy(key: string, digest: Uint8Array): Uint8Array {
  const secret = bytesOf(key)
  const [recovery = 0, ...rest] = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  return compactOf(Uint8Array.from([...rest, recovery]), digest, secp256k1.getPublicKey(secret, true))
}

describe('keys, addresses and messages', () => {
  it('an address is the hash of its public key, in either form of the key', () => {
    const { input, output } = vectors.key
    const secret = bytesOf(input.private_key)
    for (const isShort of [true, false]) {
      const key = secp256k1.getPublicKey(secret, isShort)
      expect(keyAddress(key)).toBe(output.address)
    }
    expect(hexOf(secp256k1.getPublicKey(secret, false).subarray(1))).toBe(output.public_key)
  })

  it('capitals are accepted only as the checksum', () => {
    const { input, output } = vectors.checksum
    expect(parseAddress(output.checksum)).toBe(input.b256)
    expect(parseAddress(input.b256)).toBe(input.b256)
    expect(parseAddress(output.checksum.replace('0xEf', '0xeF'))).toBeNull()
    expect(parseAddress(output.checksum.slice(2))).toBeNull()
  })

  it('the form that the library has dropped is refused', () => {
    expect(parseAddress(vectors.forms.output.bech32m)).toBeNull()
    expect(parseAddress(vectors.forms.input.b256)).toBe(vectors.forms.input.b256)
  })

  it.each([vectors.plainMessage, vectors.personalMessage])('$name', ({ input, output }) => {
    const { address } = vectors.key.output
    const claim = { address, text: input.message, signature: output.signature }
    expect(hexOf(signedBy(input.private_key, bytesOf(output.hash)))).toBe(output.signature)
    expect(verifyMessage(claim)).toBe(true)
    expect(verifyMessage({ ...claim, text: 'your message' })).toBe(false)
    expect(verifyMessage({ ...claim, address: vectors.checksum.input.b256 })).toBe(false)
    expect(verifyMessage({ ...claim, signature: output.signature.slice(0, -2) })).toBe(false)
    expect(verifyMessage({ ...claim, signature: 'mine' })).toBe(false)
  })

  it('the local chain knows the owner of a predicate and the id of a contract', () => {
    expect(predicateAddress(unhex(vectors.predicate.input.bytecode))).toBe(vectors.predicate.output.address)
    const { bytecode, salt, state_root: root } = vectors.watchdog.input
    expect(contractId(unhex(bytecode), unhex(salt), unhex(root))).toBe(vectors.watchdog.output.contract_id)
    expect([WATCHDOG_CODE, WATCHDOG_ID]).toEqual([bytecode, vectors.watchdog.output.contract_id])
  })
})

describe('transactions', () => {
  it.each([vectors.oneCoin, vectors.messageInput])('$name', ({ input, output }) => {
    const transaction = transactionOf(input.transaction)
    expect(idOf(transaction, BigInt(input.chain_id))).toBe(output.id)
    const raw = encodeTransaction(transaction)
    expect(transactionId(decodeScript(unhex(raw)), BigInt(input.chain_id))).toBe(output.id)
    expect(parseTransaction(raw)).toEqual(transaction)
  })

  it.each([vectors.payoutMainnet, vectors.payoutTestnet, vectors.cancellation])('$name', ({ input, output }) => {
    const transaction = transactionOf(input.transaction)
    const id = idOf(transaction, BigInt(input.chain_id))
    expect(id).toBe(output.id)
    const witness = signedBy(input.private_key, bytesOf(id))
    expect(hexOf(witness)).toBe(output.witness)
    const raw = encodeTransaction({ ...transaction, witnesses: [witness] })
    if ('bytes' in output) expect(raw).toBe(output.bytes)
    const decoded = decodeScript(unhex(raw))
    expect(transactionId(decoded, BigInt(input.chain_id))).toBe(output.id)
    expect(decoded.witnesses.map((one) => recovered(one, id))).toEqual([vectors.key.output.address])
  })

  it('a stored transfer reads back to its bytes, and its witness is its owner’s under its own chain only', () => {
    const { input, output } = vectors.stored
    const transaction = parseTransaction(input.raw)
    if (!transaction) throw new Error('it is a transaction')
    expect(idOf(transaction, 0n)).toBe(output.id)
    expect(idOf(transaction, BigInt(output.wrong_chain.chain_id))).toBe(output.wrong_chain.id)
    const [witness = new Uint8Array()] = transaction.witnesses
    expect(signerOf(witness, bytesOf(output.id))).toBe(output.recovered_owner)
    expect(signerOf(witness, bytesOf(output.wrong_chain.id))).toBe(output.wrong_chain.recovered_owner)
    const amounts = transaction.outputs.map((one) => ('units' in one ? `${one.type} ${one.units}` : ''))
    expect(amounts).toEqual([`coin ${output.amount_out}`, `change ${output.change_out}`])
    expect(policyOf(transaction, POLICY.maxFee)).toBe(BigInt(output.max_fee))
    const decoded = decodeScript(unhex(input.raw))
    expect(transactionId(decoded, 0n)).toBe(output.id)
    expect(decoded.witnesses.map((one) => recovered(one, output.id))).toEqual([output.recovered_owner])
  })

  it('the root of what its script left behind is made as we make it', () => {
    const transaction = parseTransaction(vectors.stored.input.raw)
    const root = (transaction && receiptsRootOf(transaction)) ?? ''
    const place = { pc: '10368', is: '10368' }
    const receipts = [
      { receiptType: 'RETURN', id: null, val: '0', ...place },
      { receiptType: 'SCRIPT_RESULT', id: null, result: '0', gasUsed: '733' },
    ]
    expect(isRootOf(root, receipts)).toBe(true)
    expect(hexOf(treeRoot(receipts.map(receiptBytes)))).toBe(root)
    expect(isRootOf(root, receipts.toReversed())).toBe(false)
    expect(isRootOf(root, [{ ...receipts[0], receiptType: 'NEW' }])).toBe(false)
  })

  it('a contract’s creation is read like any other transaction', () => {
    const { input, output } = vectors.create
    const transaction = parseTransaction(input.raw)
    const created = transaction?.outputs.flatMap((one) => (one.type === 'created' ? [one.contract] : []))
    expect(created).toEqual([output.contract_id])
    expect(transaction?.outputs.filter((one) => one.type === 'change')).toHaveLength(1)
    expect(transaction && encodeTransaction(transaction).length).toBe(input.raw.length)
  })

  it('bytes that are cut short, or go on, are no transaction', () => {
    const { raw } = vectors.stored.input
    expect(() => parseTransaction(raw.slice(0, -16))).toThrow('too early')
    expect(() => parseTransaction(`${raw}00`)).toThrow('bytes behind')
    expect(() => parseTransaction(`0x00000000000000ff${raw.slice(18)}`)).toThrow('kind 255')
    expect(() => parseTransaction('0xzz')).toThrow('hex')
  })
})

describe('names on the main network', () => {
  it.each([vectors.usdc, vectors.usdt, vectors.weth])('$name', ({ input, output }) => {
    const token = Buffer.concat([Buffer.alloc(12), bytesOf(input.origin_token)])
    const subId = sha256(Buffer.from(input.origin_chain), token, Buffer.alloc(32))
    expect(hexOf(subId)).toBe(output.sub_id)
    expect(hexOf(sha256(bytesOf(input.bridge_contract), subId))).toBe(output.asset_id)
  })

  it('the watch call carries the name and the number as the library encodes them', () => {
    const { input, output } = vectors.watch
    const data = watchData(WATCHDOG_ID, BigInt(input.sequence), `0x${'00'.repeat(32)}`)
    expect(hexOf(data.subarray(32, 32 + 13))).toBe(output.selector)
    expect(hexOf(data.subarray(48, 56))).toBe(output.arguments)
    expect(WATCH_SCRIPT.length).toBe(48)
  })
})
