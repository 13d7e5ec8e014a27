/**
 * Helpers for the local EVM chains of a test: wallets that send anything, and waiting until the service has seen it.
 */
import type { Token } from '@causeway/core'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import type { World } from '../processes/world.ts'
import { eventually } from '../runner/eventually.ts'

const POLL_MS = 20

export function walletOn(world: World, network: string, secret: string = world.account(network, 0).secret) {
  const { chainId } = world.sandbox.catalogue.network(network)
  const chain = { ...hardhat, id: Number(chainId) }
  const transport = http(world.devnet(network).nodes[network])
  return createWalletClient({ account: privateKeyToAccount(secret as Hex), chain, transport }).extend(publicActions)
}

/** Sends without a simulation, and returns the receipt. */
export async function send(
  world: World,
  network: string,
  call: { to: string; data: string; value?: bigint },
  secret?: string,
) {
  const wallet = walletOn(world, network, secret)
  const { to, data, value = 0n } = call
  const hash = await wallet.sendTransaction({ to: to as Hex, data: data as Hex, value, gas: 1_000_000n })
  return wallet.waitForTransactionReceipt({ hash, pollingInterval: POLL_MS })
}

export async function deploy(
  world: World,
  network: string,
  contract: { abi: readonly unknown[]; bytecode: string },
  args: readonly unknown[] = [],
): Promise<Hex> {
  const wallet = walletOn(world, network)
  const hash = await wallet.deployContract({ abi: contract.abi, bytecode: contract.bytecode as Hex, args })
  const { contractAddress } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: POLL_MS })
  if (!contractAddress) throw new Error('nothing was deployed')
  return contractAddress
}

/** A request that only a local node supports. */
export async function control(world: World, network: string, method: string, ...params: unknown[]): Promise<unknown> {
  const request = walletOn(world, network).request as (call: { method: string; params: unknown[] }) => Promise<unknown>
  return request({ method, params })
}

/** A new key that holds this much of a token and no gas. */
export async function gaslessOwner(world: World, token: Token, units: bigint) {
  const secret = generatePrivateKey()
  const { address } = privateKeyToAccount(secret)
  if (units > 0n) await world.devnet(token.network).fund(token, address, units)
  return { secret, address }
}

/** Waits until the service has scanned further blocks: by then it has noticed everything. */
export async function settleOn(world: World, network: string): Promise<void> {
  const head = await walletOn(world, network).getBlockNumber({ cacheTime: 0 })
  await world.devnet(network).mine(network, 8)
  await eventually(async () => {
    const [row] = await world.query<{ head: string }>(
      'select head_number as head from chain_cursor where network = $1',
      [network],
    )
    return row && BigInt(row.head) >= head + 8n
  }, 'the watcher to pass')
}
