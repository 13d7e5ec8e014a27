/** Ten EVM networks with simulated nodes, a database and the service: for counting requests. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseConfig, startService } from '@causeway/server'
import { arithmeticChain, type ChainPlan } from '../support/chains/arithmetic-chain.ts'
import { startProvider } from '../support/chains/provider.ts'
import { startDatabase } from '../support/database/database.ts'

const FILES = path.join(import.meta.dirname, '../../networks/mainnet')
const MOST = 10
/** Block time in milliseconds; two seconds by default. */
const BLOCK_MS: Readonly<Record<string, number>> = {
  ARBITRUM_MAINNET: 250,
  BSC_MAINNET: 750,
  ETHEREUM_MAINNET: 12_000,
}
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

type Json = Record<string, unknown> & {
  name: string
  type: string
  chain_id: string
}

export interface Stage {
  networks: {
    name: string
    chain: ReturnType<typeof arithmeticChain>
    provider: Awaited<ReturnType<typeof startProvider>>
  }[]
  databaseUrl: string
  env: Record<string, string>
  start(roles?: string): ReturnType<typeof startService>
  stop(): Promise<void>
}

/** `only`: the networks to use, by name. `finalMs`: the age at which a block is final, instead of the files' depths. */
export async function setStage(
  options: { only?: readonly string[]; finalMs?: number; plan?: Partial<ChainPlan>; delayMs?: number } = {},
): Promise<Stage> {
  const { only, finalMs, plan = {}, delayMs = 0 } = options
  const database = await startDatabase()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-stage-'))
  const networks: Stage['networks'] = []
  const env: Record<string, string> = {}
  for (const file of (await readdir(FILES)).sort()) {
    const network = JSON.parse(await readFile(path.join(FILES, file), 'utf8')) as Json
    if (network.type !== 'evm' || networks.length === MOST || (only && !only.includes(network.name))) continue
    const blockMs = BLOCK_MS[network.name] ?? 2_000
    const own = finalMs === undefined ? network : { ...network, final_depth: Math.ceil(finalMs / blockMs) }
    await writeFile(path.join(folder, file), JSON.stringify(own))
    const chain = arithmeticChain({ chainId: BigInt(network.chain_id), blockMs, height: 1_000_000, ...plan })
    const provider = await startProvider((method, params) => chain.answer(method, params), { delayMs })
    env[`NODES_${network.name}`] = provider.url
    networks.push({ name: network.name, chain, provider })
  }
  const config = (roles: string) =>
    parseConfig({
      ...env,
      DATABASE_URL: database.url,
      NETWORKS: folder,
      ENVIRONMENT: 'testnet',
      SIGNER: 'mnemonic',
      MNEMONIC,
      ROLES: roles,
      PORT: '0',
      INTERNAL_PORT: '0',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
    })
  return {
    networks,
    databaseUrl: database.url,
    env,
    // Names of real networks, with nodes on this machine.
    start: (roles = 'api,watch,work') => startService(config(roles), { isSandbox: true }),
    async stop() {
      await Promise.all(networks.map(({ provider }) => provider.stop()))
      await database.stop()
    },
  }
}

export function countsOf(stage: Stage): Map<string, Record<string, number>> {
  return new Map(stage.networks.map(({ name, provider }) => [name, { ...provider.counts }]))
}
