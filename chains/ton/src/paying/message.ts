/**
 * The external message that makes the treasury pay: its signed content, and its decoding. One transfer is sent by the
 * contract itself; several go as one message to itself that carries them all, so all are made or none.
 */
import { type Address, Bug, type Transfer } from '@causeway/core'
import {
  beginCell,
  Cell,
  external,
  internal,
  loadMessage,
  loadMessageRelaxed,
  type Message,
  type MessageRelaxed,
  type OutAction,
  SendMode,
  storeMessage,
  storeMessageRelaxed,
  storeOutList,
} from '@ton/core'
import { tonAddress } from '../address.ts'
import { transferBody } from '../jetton.ts'
import { normalisedHash, sliceOf } from '../transaction.ts'
import type { Query } from './slot.ts'
import type { Terms } from './terms.ts'
import { TIMEOUT, type Treasury } from './treasury.ts'

/** The contract's opcode for "make these transfers". */
export const INTERNAL_TRANSFER = 0xae42e5a4
/** Pays for executing the message to itself; the rest stays in the wallet. */
export const BATCH_VALUE = 50_000_000n

/** The parts of a message other than its transfers. A draft chooses only the variant. */
export interface Writing {
  treasury: Treasury
  query: Query
  /** The treasury's jetton wallets by master. */
  wallets: ReadonlyMap<Address, Address>
  /** The value attached to each jetton transfer. */
  jettonValue: bigint
  /** Counts the variants of one slot's message. */
  variant: number
}

/** The cell whose hash the treasury's key signs. */
export function innerCell(transfers: readonly Transfer[], writing: Writing): Cell {
  const { treasury, query } = writing
  return beginCell()
    .storeUint(treasury.subwalletId, 32)
    .storeRef(
      beginCell()
        .store(storeMessageRelaxed(outgoing(transfers, writing)))
        .endCell(),
    )
    .storeUint(SendMode.PAY_GAS_SEPARATELY, 8)
    .storeUint(query.id, 23)
    .storeUint(query.createdAt, 64)
    .storeUint(TIMEOUT, 22)
    .endCell()
}

export function seal(
  treasury: Treasury,
  inner: Cell,
  signature: Uint8Array,
  { isDeployed }: Pick<Terms, 'isDeployed'>,
) {
  const body = beginCell().storeBuffer(Buffer.from(signature)).storeRef(inner).endCell()
  const to = tonAddress(treasury.address)
  const message = external(isDeployed ? { to, body } : { to, body, init: treasury.init })
  const bytes = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  return { hash: normalisedHash(message), bytes }
}

/** The query (id and time) of an external message to the treasury; null if the message is another kind. */
export function queryIn(message: Message): Query | null {
  if (message.info.type !== 'external-in') return null
  const [signed] = message.body.refs
  const inner = signed && sliceOf(signed)
  if (!inner || inner.remainingBits !== 32 + 8 + 23 + 64 + 22) return null
  inner.skip(32 + 8)
  return { id: inner.loadUint(23), createdAt: inner.loadUint(64) }
}

/** Which variant of the slot's message these bytes are. */
export function variantIn(bytes: string): number {
  const { body } = loadMessage(Cell.fromBase64(bytes).beginParse())
  const sent = body.refs[0]?.refs[0]
  const info = sent && loadMessageRelaxed(sent.beginParse()).info
  if (info?.type !== 'internal') throw new Bug('not a message of this family')
  return info.createdAt
}

function outgoing(transfers: readonly Transfer[], writing: Writing): MessageRelaxed {
  const { treasury, query, variant } = writing
  const messages = transfers.map((transfer) => transferMessage(transfer, writing))
  const [only, ...more] = messages
  if (only && more.length === 0) return marked(only, variant)
  // The flag that ignores errors is not set: if one message cannot be sent, none is.
  const actions = messages.map((outMsg): OutAction => ({ type: 'sendMsg', mode: SendMode.PAY_GAS_SEPARATELY, outMsg }))
  const body = beginCell()
    .storeUint(INTERNAL_TRANSFER, 32)
    .storeUint(query.id, 64)
    .storeRef(beginCell().store(storeOutList(actions)).endCell())
    .endCell()
  const toItself = { to: tonAddress(treasury.address), value: BATCH_VALUE, bounce: false, body }
  return marked(internal(toItself), variant)
}

function transferMessage({ to, amount: { token, units } }: Transfer, writing: Writing): MessageRelaxed {
  // Sent without bounce, so that a recipient without a deployed wallet is paid, too.
  if (token.contract === null) return internal({ to: tonAddress(to), value: units, bounce: false })
  const { treasury, query, wallets, jettonValue } = writing
  const wallet = wallets.get(token.contract)
  if (wallet === undefined) throw new Bug('our wallet of this token is not known', { ...token })
  const body = transferBody(to, units, treasury.address, query.id)
  return internal({ to: tonAddress(wallet), value: jettonValue, bounce: true, body })
}

/** The chain overwrites this field on sending: here it only distinguishes the variants of a slot. */
function marked(message: MessageRelaxed, variant: number): MessageRelaxed {
  return { ...message, info: { ...message.info, createdAt: variant } }
}
