/** The `settings` of a network's file, with defaults and clear errors. */
import { type Address, type Network, type SettingsReader, settingsReader, textForm } from '@causeway/core'
import { naming } from './address.ts'

export interface Settings {
  /** The ledger's name. Keys are derived with it, so that a signature for one ledger is invalid on any other. */
  instance: string
  /** Base units of one quantum, by the token's contract, or by the symbol of the native token. */
  quanta: ReadonlyMap<string, bigint>
  /** How long a signed transfer is valid. */
  validHours: number
  requestTimeoutMs: number
  /** Stark keys of recipients, for a signer that trusts no draft. */
  receivers: ReadonlyMap<Address, bigint>
}

/** Names of ledgers with real money. */
const MAIN_INSTANCES = ['immutablex']
const HOURS_A_YEAR = 8_760
const LEDGER = textForm(/^[a-z0-9-]{3,40}$/, 'the name of a ledger: small letters, digits and dashes')

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const settings: Settings = {
    instance: read.needed('instance', LEDGER),
    quanta: quantaIn(network, read),
    validHours: read.integer('valid_hours', 24, 2, HOURS_A_YEAR),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    receivers: receiversIn(read),
  }
  read.nothingElse()
  return settings
}

export function isMain({ instance }: Settings): boolean {
  return MAIN_INSTANCES.includes(instance)
}

/** The quantum of every token: each needs one, because it is part of the ledger's asset id. */
function quantaIn({ tokens }: Network, { record, wrong }: SettingsReader): Map<string, bigint> {
  const wanted = 'the base units of one quantum as text, by the symbol of each token'
  const bySymbol = record('quanta', wanted)
  return new Map(
    tokens.map(({ symbol, contract }) => {
      const value = bySymbol[symbol] ?? null
      if (typeof value !== 'string' || !/^[1-9]\d{0,38}$/.test(value))
        throw wrong('quanta', { [symbol]: value }, wanted)
      return [contract ?? NATIVE, BigInt(value)]
    }),
  )
}

export const NATIVE = 'native'

function receiversIn({ record, wrong }: SettingsReader): Map<Address, bigint> {
  const wanted = 'Stark keys in hex by Ethereum address'
  return new Map(
    Object.entries(record('receivers', wanted)).map(([text, key]) => {
      const address = naming.parseAddress(text)
      if (address === null || typeof key !== 'string' || !/^0x[0-9a-f]{1,64}$/.test(key)) {
        throw wrong('receivers', { [text]: key }, wanted)
      }
      return [address, BigInt(key)]
    }),
  )
}
