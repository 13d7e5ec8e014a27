/** Setup of the families' local suites: a local chain with a funded treasury, and a way to open adapters on it. */
import type { Address, DevnetFamily, Family, Network, Signer, Token } from '@causeway/core'
import { testLog } from './samples.ts'
import { testSigner } from './signer.ts'

export interface TestbedOptions<Keys extends Signer> {
  family: Family
  devnet: DevnetFamily
  network: Network
  /** Holds the treasury's key. */
  signer: Keys
  /** Whole tokens of each kind for the treasury; none if absent. */
  treasuryWhole?: bigint
  /** Runs before the treasury is funded, with the node's address. */
  prepare?(url: string): Promise<unknown>
}

/** The local chain stops only when `local.stop()` is called. */
export async function startTestbed<Keys extends Signer>({
  family,
  devnet,
  network,
  signer,
  treasuryWhole = 0n,
  prepare,
}: TestbedOptions<Keys>) {
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  await prepare?.(url)
  if (treasuryWhole > 0n) {
    for (const token of network.tokens) await local.fund(token, treasury, treasuryWhole * 10n ** BigInt(token.decimals))
  }
  const log = testLog()
  const open = (changes: Partial<Network> = {}, keys: Signer = signer) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer: keys, log })
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  const native = network.nativeToken
  return {
    ...{ network, native, signer, treasury, local, url, log, open, user, other },
    adapter: await open(),
    mine: (blocks = 1) => local.mine(network.name, blocks),
    /** The address of an unused key. */
    stranger: (name: string) => family.treasury(network, testSigner(name)),
    balance: (address: Address, token: Token = native) => local.balance(token, address),
  }
}
