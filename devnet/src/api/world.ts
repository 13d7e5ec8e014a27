/** The state behind the sandbox's routes, and how a request names a network, a token, an address or an amount. */
import {
  type Address,
  ApiError,
  accountsOn,
  type Catalogue,
  type ChainAdapter,
  type Devnet,
  type Family,
  findNetwork,
  findToken,
  type Network,
  parseDecimal,
  type TestAccount,
  type Token,
} from '@causeway/core'
import { plainNumber } from '@causeway/sdk'
import type { Config, Families, Services } from '@causeway/server'
import { z } from 'zod'
import type { LocalChains } from '../chains.ts'

/** Whole tokens, as a number or as text. */
export const AmountText = z.union([z.number().transform(plainNumber), z.string().max(100)])

export interface World {
  config: Config
  catalogue: Catalogue
  chains: LocalChains
  families: Families
  /** Null until the service has started. */
  services: Services | null
}

export interface Place {
  network: Network
  devnet: Devnet
  family: Family
  walletContracts: ChainAdapter['walletContracts']
}

export async function placeOf(world: World, name: string): Promise<Place> {
  const { networks } = world.catalogue
  const network = findNetwork(networks, name)
  const devnet = network && world.chains.devnets.get(network.name)
  if (!network || !devnet) {
    throw wrong('network', `there is no network ${name}; there are ${networks.map((known) => known.name).join(', ')}`)
  }
  // The API shows the contract by which wallets know the native token, so it may be named here, too.
  const walletContracts = world.services?.chains.get(network.name)?.walletContracts
  return { network, devnet, family: await world.families(network.type), walletContracts }
}

export function tokenOf({ network, family, walletContracts }: Place, name: string): Token {
  const token = findToken(network, name, { ...family, ...(walletContracts ? { walletContracts } : {}) })
  if (token) return token
  const known = network.tokens.map(({ symbol }) => symbol).join(', ')
  throw wrong('token', `${network.name} has no token ${name}; it has ${known}`)
}

export function addressOf({ network, family }: Place, text: string): Address {
  const address = family.parseAddress(text)
  if (address === null) throw wrong('address', `${text} is no address of ${network.name}`)
  return address
}

export function unitsOf(token: Token, amount: string): bigint {
  const units = parseDecimal(amount, token.decimals)
  if (units === null || units === 0n) {
    throw wrong('amount', `${amount} is no amount of ${token.symbol}, which has ${token.decimals} decimals`)
  }
  return units
}

export function accountOf({ devnet, network }: Place, index: number): TestAccount {
  const account = accountsOn(devnet, network.name)[index]
  if (!account) throw wrong('account', `${network.name} has the test accounts 0 to ${devnet.accounts.length - 1}`)
  return account
}

export function wrong(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message, { [field]: message })
}

/** Passes a local chain's refusal (a reorg deeper than the chain, an empty account) on to the caller. */
export async function byChain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ApiError('VALIDATION_ERROR', `The local chain refused: ${reason}`)
  }
}
