/** Parses other people's messages that can pay us: `MsgSend`, and an IBC packet. Only the fields that we need are read. */
import { sha256 } from '@noble/hashes/sha2.js'
import { parseAccount } from '../address.ts'
import { readFields } from '../protobuf.ts'
import { type Coin, type Message, MSG_SEND, readCoin } from '../transaction.ts'

export interface Send {
  from: string
  to: string
  coins: Coin[]
}

/** Decodes a plain send; null if it is another message, or unreadable. */
export function readSend({ type, value }: Message): Send | null {
  if (type !== MSG_SEND) return null
  try {
    const fields = readFields(value)
    return { from: spelled(fields.text(1)), to: spelled(fields.text(2)), coins: fields.all(3).map(readCoin) }
  } catch {
    return null
  }
}

/** A packet with money that a relayer brings. The relayer wrote everything else in the transaction. */
export interface Packet {
  sender: string
  receiver: string
  /** The token's name in the bank of this chain. */
  coin: Coin
  memo: string
}

const RECEIVE = '/ibc.core.channel.v1.MsgRecvPacket'
const TRANSFER_PORT = 'transfer'

export function readPacket({ type, value }: Message): Packet | null {
  if (type !== RECEIVE) return null
  try {
    const packet = readFields(readFields(value).bytes(1))
    const [fromPort, fromChannel, port, channel] = [packet.text(2), packet.text(3), packet.text(4), packet.text(5)]
    if (port !== TRANSFER_PORT) return null
    const data: Record<string, unknown> = JSON.parse(packet.text(6))
    const { denom, amount, sender, receiver, memo = '' } = data
    const isText = [denom, amount, sender, receiver, memo].every((field) => typeof field === 'string')
    if (!isText || !/^(0|[1-9]\d{0,77})$/.test(String(amount))) return null
    const name = denomHere(String(denom), `${fromPort}/${fromChannel}/`, `${port}/${channel}/`)
    const coin = { denom: name, units: BigInt(String(amount)) }
    return { sender: String(sender), receiver: spelled(String(receiver)), coin, memo: String(memo) }
  } catch {
    return null
  }
}

/** An address in the bank's spelling: senders may write it in capitals. */
function spelled(address: string): string {
  return parseAccount(address, null) ?? address
}

/**
 * The denomination on this chain: a token that returns home loses the last hop of its path; a foreign token is named by
 * the whole path.
 */
export function denomHere(denom: string, left: string, arrived: string): string {
  if (!denom.startsWith(left)) return ibcDenom(arrived + denom)
  const rest = denom.slice(left.length)
  return rest.includes('/') && /^[^/]+\/channel-\d+\//.test(rest) ? ibcDenom(rest) : rest
}

export function ibcDenom(trace: string): string {
  return `ibc/${Buffer.from(sha256(Buffer.from(trace)))
    .toString('hex')
    .toUpperCase()}`
}
