/** The messages that the double runs: sends, many sends, sends on behalf of others, packets from other chains, one contract. */
import { anyOf, assertAccount, type Money, moduleAddress, moneyOf } from './envelope.ts'
import { sha256 } from './hashes.ts'
import type { Ledger } from './ledger.ts'
import { bytesAt, fieldsOf, listAt, numberAt, textAt } from './wire.ts'

export interface ChainEvent {
  type: string
  attributes: { key: string; value: string; index: boolean }[]
}

export interface BankRules {
  prefix: string
  /** Denominations that are disabled for sending. */
  disabled: Set<string>
  /** Accounts that cannot receive. */
  blocked: Set<string>
  /** `granter grantee`: who may send on whose behalf. */
  grants: Set<string>
}

/** The transaction has no effect; code and message are the SDK's. */
export class Failed extends Error {
  override name = 'Failed'
  readonly code: number
  readonly codespace: string
  constructor(code: number, message: string, codespace = 'sdk') {
    super(message)
    this.code = code
    this.codespace = codespace
  }
}

export const SEND = '/cosmos.bank.v1beta1.MsgSend'
export const MULTI_SEND = '/cosmos.bank.v1beta1.MsgMultiSend'
export const EXEC = '/cosmos.authz.v1beta1.MsgExec'
export const RECV_PACKET = '/ibc.core.channel.v1.MsgRecvPacket'
export const EXECUTE_CONTRACT = '/cosmwasm.wasm.v1.MsgExecuteContract'
export const LOCK = '/cosmos.vesting.v1beta1.MsgCreatePermanentLockedAccount'

interface AnyMessage {
  type: string
  value: Buffer
}

/** The required signers of a message. Throws if it cannot be read. */
export function signersOf({ type, value }: AnyMessage, prefix: string): string[] {
  const signers = rawSigners(type, value)
  for (const signer of signers) {
    try {
      assertAccount(signer, prefix)
    } catch (error) {
      throw new Failed(7, `${String(error)}: invalid address`)
    }
  }
  return signers
}

function rawSigners(type: string, value: Buffer): string[] {
  const fields = fieldsOf(value)
  if (type === SEND || type === EXEC || type === EXECUTE_CONTRACT || type === LOCK) return [textAt(fields, 1)]
  if (type === MULTI_SEND) return listAt(fields, 1).map((input) => textAt(fieldsOf(input), 1))
  if (type === RECV_PACKET) return [textAt(fields, 4)]
  throw new Failed(2, `unable to resolve type URL ${type}: tx parse error`)
}

export function runMessage(ledger: Ledger, rules: BankRules, message: AnyMessage, at: number): ChainEvent[] {
  return run(ledger, rules, message).map((event) => ({
    ...event,
    attributes: [...event.attributes, { key: 'msg_index', value: String(at), index: true }],
  }))
}

function run(ledger: Ledger, rules: BankRules, { type, value }: AnyMessage): ChainEvent[] {
  const fields = fieldsOf(value)
  const said = eventOf('message', { action: type, sender: rawSigners(type, value)[0] ?? '' })
  if (type === SEND) {
    const [from, to] = [textAt(fields, 1), textAt(fields, 2)].map((address) => address.toLowerCase())
    return [said, ...send(ledger, rules, from ?? '', to ?? '', listAt(fields, 3).map(moneyOf))]
  }
  if (type === LOCK) {
    const [from, to, coins] = [textAt(fields, 1), textAt(fields, 2), listAt(fields, 3).map(moneyOf)]
    lock(ledger, to, coins)
    return [said, ...send(ledger, rules, from, to, coins)]
  }
  if (type === MULTI_SEND) return [said, ...multiSend(ledger, rules, value)]
  if (type === EXEC) {
    const grantee = textAt(fields, 1)
    const inner = listAt(fields, 2).map(anyOf)
    for (const granter of inner.flatMap((one) => rawSigners(one.type, one.value)))
      if (granter !== grantee && !rules.grants.has(`${granter} ${grantee}`))
        throw new Failed(2, 'authorization not found', 'authz')
    return [said, ...inner.flatMap((one) => run(ledger, rules, one))]
  }
  if (type === RECV_PACKET) return [said, ...receivePacket(ledger, rules, bytesAt(fields, 1))]
  return [said, ...callContract(ledger, rules, value)]
}

function send(ledger: Ledger, rules: BankRules, from: string, to: string, coins: readonly Money[]): ChainEvent[] {
  checkCoins(coins)
  checkRecipient(rules, to)
  for (const { denom } of coins)
    if (rules.disabled.has(denom))
      throw new Failed(5, `${denom} transfers are currently disabled: send transactions are disabled`, 'bank')
  return move(ledger, from, to, coins)
}

/** Locks coins at an address, which must not have received anything yet. */
function lock(ledger: Ledger, address: string, locked: readonly Money[]): void {
  if (ledger.account(address)) throw new Failed(18, `account ${address} already exists: invalid request`)
  ledger.add(address, '', 0n)
  const made = ledger.account(address)
  if (made) ledger.setAccount(address, { ...made, locked })
}

function multiSend(ledger: Ledger, rules: BankRules, value: Buffer): ChainEvent[] {
  const side = (id: number) =>
    listAt(fieldsOf(value), id).map((bytes) => {
      const fields = fieldsOf(bytes)
      return { address: textAt(fields, 1), coins: listAt(fields, 2).map(moneyOf) }
    })
  const [input] = side(1)
  if (!input) throw new Failed(2, 'no inputs to send transaction', 'bank')
  return side(2).flatMap(({ address, coins }) => send(ledger, rules, input.address, address, coins))
}

/** A packet brings coins once. A repeated packet, or one without a recipient, is accepted without effect. */
function receivePacket(ledger: Ledger, rules: BankRules, packet: Buffer): ChainEvent[] {
  const fields = fieldsOf(packet)
  const id = ` packet ${textAt(fields, 5)} ${numberAt(fields, 1)}`
  if (ledger.get(id) !== undefined) return []
  ledger.set(id, 1n)
  const data: Record<string, string> = JSON.parse(textAt(fields, 6))
  const { denom = '', amount = '0', receiver = '' } = data
  const trace = `${textAt(fields, 4)}/${textAt(fields, 5)}/${denom}`
  const coin = { denom: `ibc/${sha256(trace).toString('hex').toUpperCase()}`, amount: BigInt(amount) }
  try {
    checkRecipient(rules, receiver)
  } catch {
    return [eventOf('write_acknowledgement', { packet_ack: '{"error":"ABCI code: 4"}' })]
  }
  const minter = moduleAddress('transfer', rules.prefix)
  ledger.add(minter, coin.denom, coin.amount)
  return [
    eventOf('coinbase', { minter, amount: `${coin.amount}${coin.denom}` }),
    ...move(ledger, minter, receiver, [coin]),
    eventOf('write_acknowledgement', { packet_ack: '{"result":"AQ=="}' }),
  ]
}

/** The double's one contract forwards received coins to a given recipient, and emits its own event. */
function callContract(ledger: Ledger, rules: BankRules, value: Buffer): ChainEvent[] {
  const fields = fieldsOf(value)
  const [sender, contract] = [textAt(fields, 1), textAt(fields, 2)]
  const funds = listAt(fields, 5).map(moneyOf)
  const { pay64 = '', pay, claim = '', locks }: Record<string, string> = JSON.parse(textAt(fields, 3))
  const to = pay ?? (Buffer.from(pay64, 'base64').toString() || contract)
  const written = funds.map(({ denom, amount }) => `${amount}${denom}`).join(',')
  if (locks) lock(ledger, to, funds)
  const moved = [...send(ledger, rules, sender, contract, funds), ...move(ledger, contract, to, funds)]
  return [...moved, eventOf('wasm-coin_received', { receiver: claim, amount: written })]
}

function move(ledger: Ledger, from: string, to: string, coins: readonly Money[]): ChainEvent[] {
  const written = coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')
  for (const { denom, amount } of coins) {
    const held = ledger.spendable(from, denom)
    if (held < amount) {
      const reason = `spendable balance ${held}${denom} is smaller than ${amount}${denom}`
      throw new Failed(5, `${reason}: insufficient funds`)
    }
    ledger.add(from, denom, -amount)
    ledger.add(to, denom, amount)
  }
  return [
    eventOf('coin_spent', { spender: from, amount: written }),
    eventOf('coin_received', { receiver: to, amount: written }),
    eventOf('transfer', { recipient: to, sender: from, amount: written }),
  ]
}

/** Throws unless the coins are as the bank requires: at least one, above zero, without duplicates and sorted. */
function checkCoins(coins: readonly Money[]): void {
  const names = coins.map(({ denom }) => denom)
  const isSorted = names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name)
  if (coins.length === 0 || !isSorted || coins.some(({ amount }) => amount <= 0n))
    throw new Failed(10, `${coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')}: invalid coins`)
}

function checkRecipient({ prefix, blocked }: BankRules, to: string): void {
  try {
    assertAccount(to, prefix)
  } catch (error) {
    throw new Failed(7, `${String(error)}: invalid address`)
  }
  if (blocked.has(to)) throw new Failed(4, `${to} is not allowed to receive funds: unauthorized`)
}

export function eventOf(type: string, attributes: Record<string, string>): ChainEvent {
  return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })) }
}
