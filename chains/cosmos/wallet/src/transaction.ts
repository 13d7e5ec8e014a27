/** The bytes of a deposit that a wallet signs (SIGN_MODE_DIRECT) and broadcasts. Zero and empty fields are omitted. */
import { type WalletAction, WalletProblem } from '@causeway/core/wallet'

/** A deposit with everything that its signature covers. */
export interface Deposit {
  chainId: string
  from: string
  body: Uint8Array
  accountNumber: string
  sequence: string
  gas: string
  fee: { denom: string; amount: string }
  pubkeyType: string
}

const ARGS = 7

/** The service's answer names the sender, whose account number and sequence it carries. */
export function depositOf(action: WalletAction, from: string): Deposit {
  const { network, encoded_args: args, call_data: memo, to_address: to, amount_in_base_units: amount } = action
  const [denom = '', accountNumber = '', sequence = '', gas = '', fee = '', feeDenom = '', pubkeyType = ''] = args
  if (network.chain_id === null || memo === null || args.length !== ARGS) throw new WalletProblem('unsupported')
  const send = join(field(1, from), field(2, to), field(3, coin({ denom, amount })))
  const body = join(field(1, any('/cosmos.bank.v1beta1.MsgSend', send)), field(2, memo))
  const paid = { denom: feeDenom, amount: fee }
  return { chainId: network.chain_id, from, body, accountNumber, sequence, gas, fee: paid, pubkeyType }
}

export function authBytes({ sequence, gas, fee, pubkeyType }: Deposit, publicKey: Uint8Array): Uint8Array {
  const direct = field(1, uint(1, 1n))
  const signer = join(field(1, any(pubkeyType, field(1, publicKey))), field(2, direct), uint(3, BigInt(sequence)))
  const paid = fee.amount === '0' ? new Uint8Array() : field(1, coin(fee))
  return join(field(1, signer), field(2, join(paid, uint(2, BigInt(gas)))))
}

export function rawBytes(body: Uint8Array, auth: Uint8Array, signature: Uint8Array): Uint8Array {
  return join(field(1, body), field(2, auth), field(3, signature))
}

function coin({ denom, amount }: { denom: string; amount: string }): Uint8Array {
  return join(field(1, denom), field(2, amount))
}

function any(type: string, value: Uint8Array): Uint8Array {
  return join(field(1, type), field(2, value))
}

function field(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  if (bytes.length === 0) return bytes
  return join(varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes)
}

function uint(number: number, value: bigint): Uint8Array {
  return value === 0n ? new Uint8Array() : join(varint(BigInt(number << 3)), varint(value))
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Uint8Array.from([...bytes, Number(rest)])
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
