/** The requests of this family and their decoders: anything unexpected is rejected here. */
import { asObject as fields, asArray as list, asString as text } from '@causeway/chain-kit'
import type { Address, BlockRef, Token } from '@causeway/core'
import { canonical } from '../address.ts'
import type { StarkSignature } from '../paying/treasury.ts'
import type { TransferMessage } from '../transaction.ts'
import type { Call } from './node.ts'

/** A transfer that the operator accepted. */
export interface Entry {
  /** The operator's id of the transfer. */
  id: string
  user: Address
  receiver: Address
  /** The token's contract; null for the native token. */
  contract: string | null
  /** The amount in base units of the token. */
  units: bigint
  /** The batch; null until the transfer is in one. */
  batch: BlockRef | null
  message: TransferMessage
  signature: StarkSignature
}

/** The block of this family is a batch: its number and the root of the ledger after it. */
export interface Batch extends BlockRef {
  parent: string
  time: Date
  transfers: Entry[]
  /** Unreadable transfers: their parties, null if not even those are known. */
  unread: (readonly Address[] | null)[]
}

export function instance(): Call<string> {
  return { name: 'instance', path: 'v1/instance', read: (answer) => text(fields(answer).name) }
}

/** The Stark key that an address registered. Refused with `account_not_found` if it registered none. */
export function userKey(address: Address): Call<bigint> {
  return {
    name: 'users',
    path: `v1/users/${address}`,
    read(answer) {
      const [key] = list(fields(answer).accounts)
      return felt(key)
    },
  }
}

export interface Route {
  senderVault: bigint
  receiverVault: bigint
  receiverKey: bigint
}

/** The vaults of a transfer, according to the operator. */
export function routeFor(sender: Address, receiver: Address, token: Token, units: bigint): Call<Route> {
  const named =
    token.contract === null ? { type: 'ETH', data: {} } : { type: 'ERC20', data: { token_address: token.contract } }
  return {
    name: 'signableTransfer',
    path: 'v2/signable-transfer-details',
    body: { sender_ether_key: sender, signable_requests: [{ amount: units.toString(), receiver, token: named }] },
    read(answer) {
      const [only] = list(fields(answer).signable_responses)
      const { sender_vault_id, receiver_vault_id, receiver_stark_key } = fields(only)
      return {
        senderVault: decimal(sender_vault_id),
        receiverVault: decimal(receiver_vault_id),
        receiverKey: felt(receiver_stark_key),
      }
    },
  }
}

export function register(body: unknown): Call<null> {
  return { name: 'register', path: 'v1/users', body, read: () => null }
}

export function submit(body: unknown, headers: Record<string, string>): Call<string> {
  return {
    name: 'submit',
    path: 'v2/transfers',
    body,
    headers,
    read: (answer) => text(list(fields(answer).transfer_ids)[0]),
  }
}

/** The transfers that the operator accepted from this sender with this nonce, and its newest batch. */
export function sentUnder(user: Address, nonce: number): Call<{ head: BlockRef; entries: Entry[] }> {
  return {
    name: 'transfers',
    path: `v1/transfers?user=${user}&nonce=${nonce}`,
    read: (answer) => ({ head: readRef(fields(answer).head), entries: list(fields(answer).result).map(readEntry) }),
  }
}

/** A transfer by id. Refused with `transfer_not_found` if there is none. */
export function transfer(id: string): Call<{ head: BlockRef; entry: Entry }> {
  return {
    name: 'transfer',
    path: `v1/transfers/${id}`,
    read: (answer) => ({ head: readRef(fields(answer).head), entry: readEntry(fields(answer).result) }),
  }
}

/** Up to `count` batches from this one on, and the newest, read at one moment. */
export function batches(from: bigint, count: number): Call<{ head: BlockRef; batches: Batch[] }> {
  return {
    name: 'batches',
    path: `v1/batches?from=${from}&limit=${count}`,
    read(answer) {
      const found = list(fields(answer).result).map(readBatch)
      const isInOrder = found.every(({ number }, place) => number === from + BigInt(place))
      if (!isInOrder || found.length > count) throw new TypeError('other batches than were asked for')
      return { head: readRef(fields(answer).head), batches: found }
    },
  }
}

/** Balances of several accounts in base units, by contract; read at one moment. */
export function balancesOf(owners: readonly Address[]): Call<{ head: BlockRef; held: Map<string, bigint> }> {
  return {
    name: 'balances',
    path: `v2/balances?owners=${owners.join()}`,
    read(answer) {
      const held = new Map<string, bigint>()
      for (const row of list(fields(answer).result)) {
        const { owner, token_address, balance } = fields(row)
        held.set(holdingKey(canonical(text(owner)), contractOf(token_address)), decimal(balance))
      }
      return { head: readRef(fields(answer).head), held }
    },
  }
}

export function holdingKey(owner: Address, contract: string | null): string {
  return `${owner} ${contract ?? 'native'}`
}

function readBatch(row: unknown): Batch {
  const { parent, time, transfers } = fields(row)
  const made = new Date(text(time))
  if (Number.isNaN(made.getTime())) throw new TypeError('no time')
  const read = list(transfers).map(attempted)
  return {
    ...{ ...readRef(row), parent: text(parent), time: made },
    transfers: read.flatMap(({ entry }) => entry ?? []),
    unread: read.flatMap(({ entry, people }) => (entry ? [] : [people])),
  }
}

/** Decodes a transfer; an unreadable one must not hide the others. */
function attempted(row: unknown): { entry: Entry | null; people: Address[] | null } {
  try {
    return { entry: readEntry(row), people: null }
  } catch {
    return { entry: null, people: peopleIn(row) }
  }
}

function peopleIn(row: unknown): Address[] | null {
  try {
    const { user, receiver } = fields(row)
    return [canonical(text(user)), canonical(text(receiver))]
  } catch {
    return null
  }
}

function readRef(row: unknown): BlockRef {
  const { number, root } = fields(row)
  return { number: decimal(number), hash: text(root) }
}

function readEntry(row: unknown): Entry {
  const { transaction_id, user, receiver, token, batch, message, stark_signature } = fields(row)
  const { type, data } = fields(token)
  const { token_address, quantity } = fields(data)
  const said = fields(message)
  const { r, s } = fields(stark_signature)
  return {
    id: text(transaction_id),
    user: canonical(text(user)),
    receiver: canonical(text(receiver)),
    contract: type === 'ETH' ? null : contractOf(token_address),
    units: decimal(quantity),
    batch: batch === null ? null : readRef(batch),
    message: {
      senderVault: decimal(said.sender_vault_id),
      receiverVault: decimal(said.receiver_vault_id),
      receiverKey: felt(said.receiver_stark_key),
      asset: felt(said.asset_id),
      quanta: decimal(said.amount),
      nonce: Number(decimal(said.nonce)),
      expiryHour: Number(decimal(said.expiration_timestamp)),
    },
    signature: { r: felt(r), s: felt(s) },
  }
}

function contractOf(value: unknown): string | null {
  return value === '' || value === null ? null : canonical(text(value))
}

/** Parses a number from text, because some exceed JavaScript's safe integers. */
function decimal(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,80}$/.test(value)) throw new TypeError('no decimal')
  return BigInt(value)
}

function felt(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/.test(value)) throw new TypeError('no field element')
  return BigInt(value)
}
