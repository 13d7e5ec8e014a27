/** The message of a deposit: coins with the comment, or a jetton transfer with the comment inside. */
import { type WalletAction, WalletProblem } from '@causeway/core/wallet'
import { bagOf, bitsOf, type Cell, cell, coins, comment } from './cells.ts'

/** TEP-74. */
const JETTON_TRANSFER = 0x0f8a7ea5n
/** Value sent along with a jetton transfer; the unused part is returned. */
const JETTON_VALUE = '100000000'
/** The minimum value for the recipient's notification. */
const FORWARD_VALUE = 1n

interface CallData {
  comment: string
  amount: string
  /** The sender's jetton wallet; only the service knows it. */
  jetton_wallet?: string
}

export interface Message {
  address: string
  amount: string
  payload: string
}

/** Builds the message. The comment names the swap: without it nothing is sent. */
export function messageOf(action: WalletAction, sender: string): Message {
  const { to_address: to, amount_in_base_units: units, token, call_data: data } = action
  const call = JSON.parse(data ?? '{}') as Partial<CallData>
  if (!call.comment) throw new WalletProblem('unsupported')
  if (token.contract === null) return { address: to, amount: units, payload: bagOf(comment(call.comment)) }
  if (!call.jetton_wallet) throw new WalletProblem('unsupported')
  const body = jettonTransfer(to, BigInt(units), sender, comment(call.comment))
  return { address: call.jetton_wallet, amount: JETTON_VALUE, payload: bagOf(body) }
}

function jettonTransfer(to: string, units: bigint, sender: string, payload: Cell): Cell {
  const bits = [
    bitsOf(JETTON_TRANSFER, 32),
    bitsOf(0n, 64),
    coins(units),
    addressBits(to),
    addressBits(sender),
    // No custom payload; the forward payload is in a reference.
    '0',
    coins(FORWARD_VALUE),
    '1',
  ]
  return cell(bits.join(''), [payload])
}

/** Raw or friendly: wallets and the service use both. */
function addressBits(text: string): string {
  const [workchain, hash] = text.includes(':') ? rawParts(text) : friendlyParts(text)
  return `100${bitsOf(BigInt.asUintN(8, BigInt(workchain)), 8)}${bitsOf(hash, 256)}`
}

function rawParts(text: string): [number, bigint] {
  const [workchain = '0', hash = ''] = text.split(':')
  return [Number(workchain), BigInt(`0x${hash}`)]
}

function friendlyParts(text: string): [number, bigint] {
  const bytes = [...atob(text.replaceAll('-', '+').replaceAll('_', '/'))].map((letter) => letter.charCodeAt(0))
  const hash = bytes.slice(2, 34).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  return [bytes[1] === 0xff ? -1 : 0, hash]
}
