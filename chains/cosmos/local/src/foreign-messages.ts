/**
 * Messages that we never write but must decode: from other users, relayers and contracts. For the tests of this folder.
 */
import type { Coin, Message } from '../../src/transaction.ts'
import { moneyBytes } from './envelope.ts'
import { EXEC, EXECUTE_CONTRACT, LOCK, MULTI_SEND, RECV_PACKET, SEND } from './messages.ts'
import { lengthField, numberField } from './wire.ts'

const coins = (id: number, list: readonly Coin[]) =>
  list.map(({ denom, units }) => lengthField(id, moneyBytes({ denom, amount: units })))
const message = (type: string, ...fields: Buffer[]): Message => ({
  type,
  value: Uint8Array.from(Buffer.concat(fields)),
})

/** A send of any number of coins. */
export function sendOf(from: string, to: string, ...list: Coin[]): Message {
  return message(SEND, lengthField(1, from), lengthField(2, to), ...coins(3, list))
}

/** A send with an amount in any form of digits. */
export function sendWritten(from: string, to: string, denom: string, digits: string): Message {
  const coin = Buffer.concat([lengthField(1, denom), lengthField(2, digits)])
  return message(SEND, lengthField(1, from), lengthField(2, to), lengthField(3, coin))
}

/** Coins that are locked at a new address forever. */
export function lockedSend(from: string, to: string, ...list: Coin[]): Message {
  return message(LOCK, lengthField(1, from), lengthField(2, to), ...coins(3, list))
}

export function multiSend(from: string, outputs: readonly { to: string; coin: Coin }[]): Message {
  const total = outputs.reduce((sum, { coin }) => sum + coin.units, 0n)
  const denom = outputs[0]?.coin.denom ?? ''
  const input = lengthField(1, Buffer.concat([lengthField(1, from), ...coins(2, [{ denom, units: total }])]))
  return message(
    MULTI_SEND,
    input,
    ...outputs.map(({ to, coin }) => lengthField(2, Buffer.concat([lengthField(1, to), ...coins(2, [coin])]))),
  )
}

/** Runs a message on behalf of an account that granted it. */
export function exec(grantee: string, inner: Message): Message {
  const any = Buffer.concat([lengthField(1, inner.type), lengthField(2, inner.value)])
  return message(EXEC, lengthField(1, grantee), lengthField(2, any))
}

export function callContract(sender: string, contract: string, call: Record<string, string>, coin: Coin): Message {
  const fields = [lengthField(1, sender), lengthField(2, contract), lengthField(3, JSON.stringify(call))]
  return message(EXECUTE_CONTRACT, ...fields, ...coins(5, [coin]))
}

export interface PacketWords {
  number: bigint
  channel: string
  denom: string
  units: bigint
  sender: string
  receiver: string
  memo: string
}

/** A packet that a relayer brings from another chain. */
export function packet(
  relayer: string,
  { number, channel, units, denom, sender, receiver, memo }: PacketWords,
): Message {
  const data = JSON.stringify({ amount: units.toString(), denom, memo, receiver, sender })
  const inner = Buffer.concat([
    numberField(1, number),
    lengthField(2, 'transfer'),
    lengthField(3, 'channel-77'),
    lengthField(4, 'transfer'),
    lengthField(5, channel),
    lengthField(6, data),
  ])
  return message(RECV_PACKET, lengthField(1, inner), lengthField(2, 'proof'), lengthField(4, relayer))
}
