/** What a network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { type Address, Bug, type Network } from '@causeway/core'
import { naming } from './address.ts'

export interface Settings {
  /** The ledger's name. Keys are derived with it, so that what is signed for one ledger is good for no other. */
  instance: string
  /** Base units of one quantum, by the token's contract or symbol of the native one. */
  quanta: ReadonlyMap<string, bigint>
  /** How long a signed transfer is good for. */
  validHours: number
  requestTimeoutMs: number
  /** Stark keys of recipients, for a signer that believes no draft. */
  receivers: ReadonlyMap<Address, bigint>
}

/** Where money was. */
const MAIN_INSTANCES = ['immutablex']
const KNOWN = ['instance', 'quanta', 'valid_hours', 'request_timeout_ms', 'receivers']
const HOURS_A_YEAR = 8_760

export function parseSettings(network: Network): Settings {
  const { settings } = network
  const wrong = (key: string, value: unknown, wanted: string) =>
    new Bug(`setting ${key} must be ${wanted}`, { network: network.name, value })
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key))
  if (unknown !== undefined) throw new Bug(`setting ${unknown} is unknown here`, { network: network.name })
  const { instance, quanta, valid_hours: validHours = 24, request_timeout_ms: timeoutMs = 10_000 } = settings
  if (typeof instance !== 'string' || !/^[a-z0-9-]{3,40}$/.test(instance)) {
    throw wrong('instance', instance, 'the name of a ledger: small letters, digits and dashes')
  }
  if (!isWhole(validHours, 2, HOURS_A_YEAR))
    throw wrong('valid_hours', validHours, `a whole number from 2 to ${HOURS_A_YEAR}`)
  if (!isWhole(timeoutMs, 100, 60_000)) throw wrong('request_timeout_ms', timeoutMs, 'a whole number from 100 to 60000')
  return {
    instance,
    quanta: quantaOf(network, quanta, wrong),
    validHours,
    requestTimeoutMs: timeoutMs,
    receivers: receiversOf(settings.receivers ?? {}, wrong),
  }
}

export function isMain({ instance }: Settings): boolean {
  return MAIN_INSTANCES.includes(instance)
}

type Wrong = (key: string, value: unknown, wanted: string) => Bug

/** Every token needs one: it is part of what the ledger calls the asset. */
function quantaOf({ tokens }: Network, given: unknown, wrong: Wrong): Map<string, bigint> {
  const wanted = 'the base units of one quantum as text, by the symbol of each token'
  if (typeof given !== 'object' || given === null) throw wrong('quanta', given, wanted)
  const bySymbol = given as Record<string, unknown>
  return new Map(
    tokens.map(({ symbol, contract }) => {
      const value = bySymbol[symbol]
      if (typeof value !== 'string' || !/^[1-9]\d{0,38}$/.test(value))
        throw wrong('quanta', { [symbol]: value }, wanted)
      return [contract ?? NATIVE, BigInt(value)]
    }),
  )
}

export const NATIVE = 'native'

function receiversOf(given: unknown, wrong: Wrong): Map<Address, bigint> {
  const wanted = 'Stark keys in hex by Ethereum address'
  if (typeof given !== 'object' || given === null) throw wrong('receivers', given, wanted)
  return new Map(
    Object.entries(given).map(([text, key]) => {
      const address = naming.parseAddress(text)
      if (address === null || typeof key !== 'string' || !/^0x[0-9a-f]{1,64}$/.test(key)) {
        throw wrong('receivers', { [text]: key }, wanted)
      }
      return [address, BigInt(key)]
    }),
  )
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
}
