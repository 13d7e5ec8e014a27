import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it, test } from 'vitest'
import { dataOf, TRANSFER_TOPIC, transferCall } from './abi.ts'
import { addressInWord, addressOf, hexOf, isLosing, NATIVE_ADDRESS, parseAddress } from './address.ts'
import { readBlock, readHeader, rootOf } from './block.ts'
import { bytesToHex, concatBytes, fieldsOf, hexToBytes } from './bytes.ts'
import { referenceIn } from './depositing/deposit.ts'
import { create2Address, depositAddress } from './depositing/forwarder.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { signerOf } from './paying/treasury.ts'
import { bandwidthOf, encodeRaw, idOf, leafBytes, madeAddress, readRaw, sealed } from './transaction.ts'
import vectors from './vectors.json' with { type: 'json' }

describe('addresses', () => {
  test.each(vectors.addresses.vectors)('$base58 is read, and written in hex', ({ base58, hex, key }) => {
    expect(parseAddress(base58)).toBe(base58)
    if (hex) expect(hexOf(base58)).toBe(hex)
    if (!key) return
    const point = secp256k1.Point.fromBytes(secp256k1.getPublicKey(hexToBytes(key))).toBytes(false)
    expect(addressInWord(bytesToHex(keccak_256(point.subarray(1))))).toBe(base58)
  })

  test.each(vectors.addresses.refused)('$text is refused: $why', ({ text }) => {
    expect(parseAddress(text)).toBeNull()
  })

  it('knows the zero address and the precompiled ones as losing money', () => {
    expect(isLosing(NATIVE_ADDRESS)).toBe(true)
    expect(isLosing(addressInWord('09'))).toBe(true)
    expect(isLosing('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(false)
  })
})

describe('transactions of public chains', () => {
  test.each(vectors.transactions.vectors)('$name', (vector) => {
    const raw = rawOf(vector)
    expect(idOf(raw)).toBe(vector.txid)
    const signature = 'signature' in vector && vector.signature ? hexToBytes(vector.signature) : signatureOf(vector)
    expect(hexOf(signerOf(hexToBytes(vector.txid), signature) ?? '')).toBe(vector.owner)
    const { contract, owner } = readRaw(raw)
    const { fields } = vector
    if (vector.name.includes('TRC-10')) {
      expect([contract, owner]).toEqual([null, null])
      return
    }
    expect(hexOf(owner ?? '')).toBe(vector.owner)
    if (contract?.kind === 'transfer') {
      expect([hexOf(contract.to), `${contract.units}`]).toEqual([fields.to, fields.amount])
    } else if (contract?.kind === 'call') {
      expect(hexOf(addressInWord(contract.data.slice(8, 72)))).toBe(fields.to)
      expect(`${BigInt(`0x${contract.data.slice(72)}`)}`).toBe(fields.units)
      if (fields.contract) expect(hexOf(contract.contract)).toBe(fields.contract)
    }
    if (fields.fee_limit) expect(`${readRaw(raw).feeLimit}`).toBe(fields.fee_limit)
  })

  test.each(vectors.memos.vectors)('the memo "$memo" is the data of its transaction, and no number', (vector) => {
    const raw = hexToBytes(vector.raw_data)
    expect(idOf(raw)).toBe(vector.txid)
    expect(new TextDecoder().decode(readRaw(raw).memo)).toBe(vector.memo)
    expect(referenceIn(readRaw(raw).memo)).toBeNull()
  })

  test.each(vectors.bandwidth.vectors)('$net_usage bytes of bandwidth', ({ raw_data, net_usage }) => {
    expect(bandwidthOf(hexToBytes(raw_data))).toBe(net_usage)
  })
})

describe('what we write', () => {
  const { common, key } = vectors.own_transactions
  const [payout] = vectors.own_transactions.vectors.filter(({ name }) => name.includes('payout'))

  it('a payout has the bytes that others make of it, with the same signature', () => {
    const to = addressOf(hexToBytes('41521ea197907927725ef36d70f25f850d1659c7c7')) ?? ''
    const owner = addressOf(hexToBytes('415cd0fb0ab3ce40f3051414c604b27756e69e43db')) ?? ''
    const contract = { kind: 'call', owner, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', value: 0n } as const
    const reference = `000000000000${common.ref_block_bytes}${common.ref_block_hash}${'0'.repeat(32)}`
    const { expiration, timestamp } = common
    const terms = { reference, expiration, timestamp, feeLimit: 30_000_000n }
    const raw = encodeRaw({ ...contract, data: dataOf(transferCall(to, 1_234_567n)) }, terms)
    expect(bytesToHex(raw)).toBe(payout?.raw_data)
    expect(idOf(raw)).toBe(payout?.txid)
    const made = secp256k1.sign(hexToBytes(idOf(raw)), hexToBytes(key), { prehash: false })
    const signature = concatBytes(made, hexToBytes(payout?.signature.slice(128) ?? ''))
    expect(sealed(raw, signature)).toBe(payout?.transaction)
    expect(bandwidthOf(raw)).toBe(payout?.bandwidth)
  })

  test.each(vectors.own_transactions.vectors)('$name is read back', ({ raw_data, txid, bandwidth, name }) => {
    const raw = hexToBytes(raw_data)
    expect([idOf(raw), bandwidthOf(raw)]).toEqual([txid, bandwidth])
    expect(referenceIn(readRaw(raw).memo)).toBe(name.includes('with memo') ? 7_000_000_001n : null)
  })

  it('a token transfer is encoded as by others', () => {
    const [call, event] = vectors.trc20.vectors
    const to = addressOf(hexToBytes(call?.to ?? '')) ?? ''
    expect(dataOf(transferCall(to, BigInt(call?.units ?? 0)))).toBe(call?.call_data)
    expect(TRANSFER_TOPIC).toBe(event?.topic)
  })

  test.each(vectors.messages.vectors)(
    'the message "$text" is verified by its signature',
    ({ text, address, signature }) => {
      expect(verifyMessage({ address, text, signature })).toBe(true)
      expect(verifyMessage({ address, text, signature: `0x${signature}` })).toBe(true)
      expect(verifyMessage({ address, text: `${text}.`, signature })).toBe(false)
      expect(verifyMessage({ address: NATIVE_ADDRESS, text, signature })).toBe(false)
      expect(verifyMessage({ address, text, signature: signature.slice(2) })).toBe(false)
    },
  )
})

describe('contracts', () => {
  test.each(vectors.contract_addresses.vectors)('$rule', (vector) => {
    if (vector.txid) {
      const owner = addressOf(hexToBytes(vector.owner)) ?? ''
      expect(hexOf(madeAddress(vector.txid, owner))).toBe(vector.contract)
    } else {
      const [salt, codeHash] = [vector.salt ?? '', vector.initCodeHash ?? ''].map((hex) => hexToBytes(hex.slice(2)))
      if (!salt || !codeHash) throw new Error('a vector of CREATE2')
      const sender = addressInWord(vector.sender?.slice(2).toLowerCase() ?? '')
      expect(create2Address(sender, salt, codeHash)).toBe(vector.address)
    }
  })

  it('deposit addresses never change', () => {
    // Constants: a change would lose the money that is still sent to earlier addresses.
    const factory = 'TYeJXEmbomUcf9HYTe4mdedu7xgFq6Sbtn'
    expect([0, 1, 1_000_000].map((index) => depositAddress(factory, index))).toMatchInlineSnapshot(`
      [
        "TDCjTfSYfhoMivyeGzy8H3e6qPrfArC4ko",
        "TSGSzzyKEgjfRUgugxBDP3SwbGbvyeniR7",
        "TH6XnB5fRJiBfKSc4yNrpznWzWiiuntjeK",
      ]
    `)
  })
})

describe('blocks', () => {
  const shown = ({ id, ...block }: (typeof vectors.blocks.vectors)[number]) => ({
    blockID: id,
    block_header: {
      raw_data: {
        number: block.number,
        txTrieRoot: block.tx_trie_root,
        witness_address: block.witness,
        parentHash: block.parent,
        version: block.version,
        timestamp: block.timestamp,
      },
    },
  })

  test.each(vectors.blocks.vectors)('block $number has the id of its header', (vector) => {
    const { id, parent, time, root } = readHeader(shown(vector))
    expect([id, parent, time, root]).toEqual([vector.id, vector.parent, vector.timestamp, vector.tx_trie_root])
  })

  test.each(vectors.reference_block.vectors)(
    'a transaction refers to block $ref_block_bytes by $ref_block_hash',
    (vector) => {
      const header = vector.header && {
        id: '',
        ...{ ...vector.header, witness_signature: '', origin: '' },
      }
      const reference = vector.block_id ?? idOfHeader(header)
      const terms = { reference, expiration: 1, timestamp: 1, feeLimit: 0n }
      const [bytes, hash] = fieldsOf(
        encodeRaw({ kind: 'transfer', owner: NATIVE_ADDRESS, to: NATIVE_ADDRESS, units: 1n }, terms),
      )
      const hexes = [bytes, hash].map((field) => (field?.value instanceof Uint8Array ? bytesToHex(field.value) : ''))
      expect(hexes).toEqual([vector.ref_block_bytes, vector.ref_block_hash])
    },
  )

  /** From the error that the reader reports for a header without an id. */
  function idOfHeader(header: (typeof vectors.blocks.vectors)[number] | undefined): string {
    if (!header) throw new Error('a header')
    try {
      readHeader(shown({ ...header, id: 'ff'.repeat(32) }))
    } catch (error) {
      return /is (\w{64})/.exec(String(error))?.[1] ?? ''
    }
    return ''
  }

  it('a changed header is rejected', () => {
    const [block] = vectors.blocks.vectors
    if (!block) throw new Error('there are vectors')
    for (const change of [{ number: 1 }, { timestamp: 1 }, { tx_trie_root: '11'.repeat(32) }, { version: 1 }]) {
      expect(() => readHeader(shown({ ...block, ...change }))).toThrow('does not have the id')
    }
  })

  it('a root is made of what was signed, the signatures and the results', () => {
    const [vector] = vectors.tx_trie_root.vectors
    const leaves = (vector?.transactions ?? []).map(({ raw_data, signature, ret }) =>
      sha256(leafBytes(hexToBytes(raw_data), signature.map(hexToBytes), [hexToBytes(ret)])),
    )
    expect(rootOf(leaves)).toBe(vector?.root)
    expect(rootOf([])).toBe('00'.repeat(32))
  })
})

describe('whole blocks', () => {
  const [{ block } = { block: null }] = vectors.whole_blocks.vectors
  const none = new Set<string>()

  it('one with several transactions proves them all', () => {
    const { transactions, id, isProven } = readBlock(block, none)
    expect(isProven).toBe(true)
    expect(transactions.map((transaction) => transaction.id)).toEqual(block?.transactions.map(({ txID }) => txID))
    expect(transactions.every(({ isSuccess }) => isSuccess)).toBe(true)
    expect(id).toBe(block?.blockID)
  })

  it('a block with a missing, moved or changed transaction or result is rejected', () => {
    const [one, two, three] = block?.transactions ?? []
    if (!one || !two || !three) throw new Error('three transactions')
    const lies = [
      [],
      [one, two],
      [two, one, three],
      [one, two, three, three],
      [one, two, { ...three, ret: [{ contractRet: 'REVERT' }] }],
      [one, two, { ...three, ret: [] }],
      [one, two, { ...three, ret: [{ contractRet: 'NEW_CODE' }] }],
      [one, two, { ...three, ret: [{ contractRet: 'SUCCESS', fee: 1 }] }],
      [one, { ...two, signature: three.signature }, three],
      [{ ...one, raw_data_hex: two.raw_data_hex }, two, three],
    ]
    for (const transactions of lies) expect(readBlock({ ...block, transactions }, none).isProven).toBe(false)
    // An operator may confirm a block by its id.
    expect(readBlock({ ...block, transactions: [one] }, new Set([block?.blockID ?? ''])).isProven).toBe(true)
  })
})

/** Given directly, or as the first field of the whole. */
function rawOf(vector: { raw_data?: string; transaction?: string }): Uint8Array {
  if (vector.raw_data) return hexToBytes(vector.raw_data)
  return partOf(vector.transaction, 1)
}

function signatureOf(vector: { transaction?: string }): Uint8Array {
  return partOf(vector.transaction, 2)
}

function partOf(transaction: string | undefined, field: number): Uint8Array {
  const value = fieldsOf(hexToBytes(transaction ?? '')).find((one) => one.field === field)?.value
  if (!(value instanceof Uint8Array)) throw new Error(`no field ${field}`)
  return value
}
