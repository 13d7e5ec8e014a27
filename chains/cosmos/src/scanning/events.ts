/** The bank's events: coins received and spent by each account. Contracts cannot emit these events. */
import { isDenom } from '../address.ts'
import type { Event } from '../node/calls.ts'
import type { Coin } from '../transaction.ts'

export interface Flow extends Coin {
  address: string
  /** Running number over all coins of all such events, listed or not. */
  index: number
  /** The index of the message that caused it; null if none did, or if the chain does not report it. */
  message: number | null
}

export function received(events: readonly Event[]): Flow[] {
  return flowsIn(events, 'coin_received', 'receiver')
}

export function spent(events: readonly Event[]): Flow[] {
  return flowsIn(events, 'coin_spent', 'spender')
}

/** The senders to this address according to the bank. */
export function sendersTo(events: readonly Event[], address: string): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'transfer' || attribute(event, 'recipient') !== address) return []
    return attribute(event, 'sender') ?? []
  })
}

/** The sequences that a transaction used, as `address/number`; empty if it failed before its fee was charged. */
export function usedNumbers(events: readonly Event[]): string[] {
  return events.flatMap(({ type, attributes }) =>
    type === 'tx' ? attributes.filter(({ key }) => key === 'acc_seq').map(({ value }) => value) : [],
  )
}

/** The charged fee in this denomination; null if the chain does not report it. */
export function feeIn(events: readonly Event[], denom: string): bigint | null {
  const told = events.flatMap((event) => (event.type === 'tx' ? (attribute(event, 'fee') ?? []) : []))
  const coin = coinsIn(told.at(-1) ?? '').find((one) => one.denom === denom)
  return coin?.units ?? null
}

function flowsIn(events: readonly Event[], type: string, party: string): Flow[] {
  const flows: Flow[] = []
  for (const event of events.filter((one) => one.type === type)) {
    const message = attribute(event, 'msg_index')
    let address: string | null = null
    // Some versions put several transfers into one event, each as a party and then an amount.
    for (const { key, value } of event.attributes) {
      if (key === party) address = value
      if (key !== 'amount' || address === null) continue
      for (const coin of coinsIn(value)) {
        const index = flows.length
        flows.push({
          ...coin,
          address,
          index,
          message: message !== null && /^\d{1,4}$/.test(message) ? Number(message) : null,
        })
      }
      address = null
    }
  }
  return flows
}

function coinsIn(text: string): Coin[] {
  return text.split(',').flatMap((written) => {
    const [, units, denom] = /^(\d{1,78})(.+)$/.exec(written) ?? []
    return units !== undefined && denom !== undefined && isDenom(denom) ? [{ denom, units: BigInt(units) }] : []
  })
}

function attribute({ attributes }: Event, key: string): string | null {
  return attributes.find((one) => one.key === key)?.value ?? null
}
