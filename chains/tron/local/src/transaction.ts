/** One transaction on the local chain: decoded from its bytes, and shown as nodes show it. */
import { CONTRACTS, decode, encode, RAW_DATA, sha256, TRANSACTION, type Tree } from './messages.ts'

export interface LocalTransaction {
  id: string
  raw: Buffer
  signatures: Buffer[]
  /** The expiration in `raw_data`. */
  expiration: number
  feeLimit: bigint
  memo: Buffer
  refBytes: string
  refHash: string
  type: string
  /** The body of the single contract. */
  body: Tree
  /** The owner in 42 digits. */
  owner: string
  /** The size of the signed transaction with the chain's additions, in bytes. */
  bandwidth: number
}

const ADDED_BYTES = 64

export function readTransaction(bytes: Buffer): LocalTransaction {
  const tree = decode(TRANSACTION, bytes)
  const raw = bufferIn(tree, 'raw_data')
  const data = decode(RAW_DATA, raw)
  const [contract, ...others] = treesIn(data, 'contract')
  if (!contract || others.length > 0) throw new Error('a transaction has one contract')
  const [parameter] = treesIn(contract, 'parameter')
  const known = CONTRACTS[Number(numberIn(contract, 'type'))]
  if (!known || !parameter) throw new Error(`an unknown contract ${numberIn(contract, 'type')}`)
  const url = bufferIn(parameter, 'type_url').toString()
  if (url !== `type.googleapis.com/protocol.${known.name}`) throw new Error(`${url} is not of its type`)
  const body = decode(known.table, bufferIn(parameter, 'value'))
  const signatures = (Array.isArray(tree.signature) ? tree.signature : []).filter((item) => Buffer.isBuffer(item))
  return {
    id: sha256(raw).toString('hex'),
    raw,
    signatures,
    expiration: Number(data.expiration ?? 0n),
    feeLimit: numberIn(data, 'fee_limit'),
    memo: bufferIn(data, 'data'),
    refBytes: bufferIn(data, 'ref_block_bytes').toString('hex'),
    refHash: bufferIn(data, 'ref_block_hash').toString('hex'),
    type: known.name,
    body,
    owner: bufferIn(body, 'owner_address').toString('hex'),
    bandwidth: encode(TRANSACTION, { raw_data: raw, signature: signatures }).length + ADDED_BYTES,
  }
}

export function bufferIn(tree: Tree, name: string): Buffer {
  const value = tree[name]
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

/** The message of this name, or all elements of a list. */
export function treesIn(tree: Tree, name: string): Tree[] {
  const value = tree[name]
  return (Array.isArray(value) ? value : [value]).filter((item) => isTree(item))
}

function isTree(value: Tree[string] | Buffer): value is Tree {
  return typeof value === 'object' && !Buffer.isBuffer(value) && !Array.isArray(value)
}

export function numberIn(tree: Tree, name: string): bigint {
  const value = tree[name]
  return typeof value === 'bigint' ? value : 0n
}

/** The transaction in a node's form: hex everywhere, numbers as in JSON. */
export function shown({ id, raw, signatures }: LocalTransaction, result: string | null): Record<string, unknown> {
  const data = decode(RAW_DATA, raw)
  const contracts = treesIn(data, 'contract').map((contract) => {
    const [parameter = {}] = treesIn(contract, 'parameter')
    const known = CONTRACTS[Number(numberIn(contract, 'type'))]
    const value = known ? plain(decode(known.table, bufferIn(parameter, 'value'))) : {}
    return { parameter: { value, type_url: bufferIn(parameter, 'type_url').toString() }, type: known?.name }
  })
  return {
    ...(result === null ? {} : { ret: [{ contractRet: result }] }),
    signature: signatures.map((signature) => signature.toString('hex')),
    txID: id,
    raw_data: { ...plain({ ...data, contract: undefined }), contract: contracts },
    raw_data_hex: raw.toString('hex'),
  }
}

function plain(tree: Tree): Record<string, unknown> {
  const told: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'bigint') told[name] = Number(value)
    else if (Buffer.isBuffer(value)) told[name] = value.toString('hex')
    else if (isTree(value)) told[name] = plain(value)
  }
  return told
}
