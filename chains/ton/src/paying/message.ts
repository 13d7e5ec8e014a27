/**
 * The external message that makes the treasury pay: what is signed, and how such a message is read again. One transfer is
 * sent by the contract itself; several go as one message to itself that carries them all, so all are made or none.
 */
import { Bug, type Transfer } from '@causeway/core'
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
import type { Terms } from './draft.ts'
import type { Query } from './slot.ts'
import { SUBWALLET_ID, TIMEOUT, type Treasury } from './treasury.ts'

/** The contract's own word for "make these transfers". */
export const INTERNAL_TRANSFER = 0xae42e5a4
/** Pays for running the message to itself; what is left stays in the wallet. */
export const BATCH_VALUE = 50_000_000n

/** What the treasury's key signs: the hash of this cell. */
export function innerCell(treasury: Treasury, transfers: readonly Transfer[], query: Query, terms: Terms): Cell {
  return beginCell()
    .storeUint(SUBWALLET_ID, 32)
    .storeRef(
      beginCell()
        .store(storeMessageRelaxed(outgoing(treasury, transfers, query, terms)))
        .endCell(),
    )
    .storeUint(SendMode.PAY_GAS_SEPARATELY, 8)
    .storeUint(query.id, 23)
    .storeUint(query.createdAt, 64)
    .storeUint(TIMEOUT, 22)
    .endCell()
}

export function seal(treasury: Treasury, inner: Cell, signature: Uint8Array, terms: Terms) {
  const body = beginCell().storeBuffer(Buffer.from(signature)).storeRef(inner).endCell()
  const to = tonAddress(treasury.address)
  const message = external(terms.isDeployed ? { to, body } : { to, body, init: treasury.init })
  const bytes = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  return { hash: normalisedHash(message), bytes }
}

/** The query that an external message to the treasury uses; null where it is none of its kind. */
export function queryIn(message: Message): Query | null {
  if (message.info.type !== 'external-in') return null
  const [signed] = message.body.refs
  const inner = signed && sliceOf(signed)
  if (!inner || inner.remainingBits !== 32 + 8 + 23 + 64 + 22) return null
  inner.skip(32 + 8)
  return { id: inner.loadUint(23), createdAt: inner.loadUint(64) }
}

/** Which writing of the slot's message these bytes are. */
export function variantIn(bytes: string): number {
  const { body } = loadMessage(Cell.fromBase64(bytes).beginParse())
  const sent = body.refs[0]?.refs[0]
  const info = sent && loadMessageRelaxed(sent.beginParse()).info
  if (info?.type !== 'internal') throw new Bug('not a message of this family')
  return info.createdAt
}

function outgoing(treasury: Treasury, transfers: readonly Transfer[], query: Query, terms: Terms): MessageRelaxed {
  const messages = transfers.map((transfer) => transferMessage(treasury, transfer, query, terms))
  const [only, ...more] = messages
  if (only && more.length === 0) return marked(only, terms.variant)
  // Without the flag that ignores errors: where one cannot be sent, none is.
  const actions = messages.map((outMsg): OutAction => ({ type: 'sendMsg', mode: SendMode.PAY_GAS_SEPARATELY, outMsg }))
  const body = beginCell()
    .storeUint(INTERNAL_TRANSFER, 32)
    .storeUint(query.id, 64)
    .storeRef(beginCell().store(storeOutList(actions)).endCell())
    .endCell()
  const toItself = { to: tonAddress(treasury.address), value: BATCH_VALUE, bounce: false, body }
  return marked(internal(toItself), terms.variant)
}

function transferMessage(
  treasury: Treasury,
  { to, amount: { token, units } }: Transfer,
  query: Query,
  { wallets, jettonValue }: Terms,
): MessageRelaxed {
  // Without bouncing: a recipient whose wallet does not stand yet is paid all the same.
  if (token.contract === null) return internal({ to: tonAddress(to), value: units, bounce: false })
  const wallet = wallets[token.contract]
  if (wallet === undefined) throw new Bug('the draft does not know our wallet of this token', { ...token })
  const body = transferBody(to, units, treasury.address, query.id)
  return internal({ to: tonAddress(wallet), value: jettonValue, bounce: true, body })
}

/** The chain writes this field anew when the message is sent: here it only tells one writing of a slot from the next. */
function marked(message: MessageRelaxed, variant: number): MessageRelaxed {
  return { ...message, info: { ...message.info, createdAt: variant } }
}
