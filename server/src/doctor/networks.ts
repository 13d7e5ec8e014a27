/**
 * Checks of the networks: each node alone, then the contracts, the token contracts and the wallet. The calls are those
 * that the service itself makes, so a node that lacks a method fails here. Nothing is signed or sent.
 */
import {
  type Catalogue,
  type ChainAdapter,
  formatDecimal,
  listedTokens,
  type Network,
  type Signer,
} from '@causeway/core'
import type { Families } from '../catalogue/chains.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'

const TIMEOUT_MS = 30_000
/** No address is ours: a scan then reads a head and a range, and reports nothing. */
const NO_ADDRESSES = { owned: async () => new Set<string>(), pollCandidates: async () => ({ recent: [], others: [] }) }
const SILENT = { info() {}, warn() {}, error() {} }

interface Parts {
  families: Families
  signer: Signer
  /** The wallet that the database knows; null if it knows none. */
  knownTreasury(network: string): Promise<string | null>
  /** By the aggregator's name in capitals. */
  aggregatorKeys: Readonly<Record<string, string>>
}

export async function checkNetworks({ networks }: Catalogue, parts: Parts): Promise<Check[]> {
  return (await Promise.all(networks.map((network) => checkNetwork(network, parts)))).flat()
}

async function checkNetwork(network: Network, parts: Parts): Promise<Check[]> {
  const { families, signer } = parts
  const family = await families(network.type)
  const open = (nodes: string[]) => family.open({ network: { ...network, nodes, quorum: 1 }, signer, log: SILENT })
  const checks: Check[] = []
  const working: { chain: ChainAdapter; head: bigint; host: string }[] = []
  for (const url of network.nodes) {
    const { host } = new URL(url)
    const name = `${network.name} node ${host}`
    try {
      const chain = await open([url])
      const head = await inTime(tryNode(chain))
      working.push({ chain, head, host })
      checks.push(ok(name, `block ${head}; every method that we read with works`))
    } catch (error) {
      checks.push(fail(name, reasonOf(error), `Correct NODES_${network.name}, or use another node: docs/nodes.md`))
    }
  }
  const newest = working.reduce((most, { head }) => (head > most ? head : most), 0n)
  for (const { head, host } of working) {
    if (newest - head <= BigInt(Math.max(network.finalDepth, 1))) continue
    checks.push(warn(`${network.name} node ${host}`, `${newest - head} blocks behind`, 'Wait for it, or replace it'))
  }
  const [first] = working
  if (!first) return checks
  checks.push(...(await checkWallet(first.chain, parts)))
  checks.push(...(await checkTokens(first.chain)))
  checks.push(...(await checkContracts(first.chain)))
  checks.push(...(await checkAggregators(first.chain, parts.aggregatorKeys)))
  checks.push(...checkPrivateSubmission(network))
  return checks
}

/** Reads as the watcher, the market and the reconciliation do. Returns the head. */
async function tryNode(chain: ChainAdapter): Promise<bigint> {
  const { network, treasury } = chain
  const { head } = await chain.scan(null, NO_ADDRESSES)
  await chain.fees()
  await chain.balances(network.tokens.map((token) => ({ owner: treasury, token })))
  // Invalidation proofs and reconciliation read at this depth: the node must still have it.
  const depth = BigInt(network.finalDepth)
  const deep = head.number > depth ? head.number - depth : 0n
  await chain.audit?.movements(treasury, deep, deep)
  return head.number
}

async function checkWallet(chain: ChainAdapter, { knownTreasury }: Parts): Promise<Check[]> {
  const { network, treasury } = chain
  const name = `${network.name} wallet`
  const known = await knownTreasury(network.name)
  if (known !== null && known !== treasury) {
    const fix = `Use the keys of this database, or set NEW_TREASURY=${network.name}`
    return [fail(name, `these keys give ${treasury}, and the database knows ${known}`, fix)]
  }
  try {
    const { token, units } = await inTime(chain.balance(treasury, network.nativeToken))
    const detail = `${treasury} has ${formatDecimal(units, token.decimals)} ${token.symbol}`
    return [units > 0n ? ok(name, detail) : warn(name, detail, 'Fund it: payouts need the native coin for fees')]
  } catch (error) {
    return [fail(name, reasonOf(error), 'See the nodes of this network')]
  }
}

async function checkTokens(chain: ChainAdapter): Promise<Check[]> {
  const { network, tokenContracts } = chain
  const listed = listedTokens(network).filter(({ contract }) => contract !== null)
  if (!tokenContracts || listed.length === 0) return []
  const found = await Promise.all(
    listed.map(async ({ contract, symbol, decimals }): Promise<Check | null> => {
      const name = `${network.name} token ${symbol}`
      const fix = `Correct the file of ${network.name}, or remove the token`
      try {
        const described = await inTime(tokenContracts.describe(contract ?? ''))
        if (described === null) return fail(name, `there is no contract at ${contract}`, fix)
        if (described.decimals !== decimals)
          return fail(name, `its contract has ${described.decimals} decimals, not ${decimals}`, fix)
        // A contract may claim any name, and bridged tokens have other ones: a person decides.
        return described.symbol.toLowerCase() === symbol.toLowerCase()
          ? null
          : warn(name, `its contract calls it ${described.symbol}`, 'Compare the address with the issuer’s')
      } catch (error) {
        return fail(name, reasonOf(error), fix)
      }
    }),
  )
  const wrong = found.filter((check) => check !== null)
  return wrong.length > 0
    ? wrong
    : [ok(`${network.name} tokens`, `${listed.length} contracts have the listed symbol and decimals`)]
}

async function checkContracts(chain: ChainAdapter): Promise<Check[]> {
  const { network, contractSurvey, depositAddresses, depository } = chain
  if (!contractSurvey) return []
  const name = `${network.name} contracts`
  try {
    await inTime(contractSurvey.surveyContracts())
  } catch (error) {
    return [fail(name, reasonOf(error), 'See the nodes of this network')]
  }
  const isOpen = depository && network.tokens.some((token) => depository.accepts(token))
  const missing = [
    ...(depositAddresses?.isReady?.() === false ? ['the factory of deposit addresses'] : []),
    ...(depository && !isOpen ? ['the Depository'] : []),
  ]
  // They are needed for some funding methods only: the operator may not want these.
  return [
    ok(name, missing.length === 0 ? 'deployed' : `not deployed: ${missing.join(', ')} (docs/operate/contracts.md)`),
  ]
}

/** The router must be a contract: a call to an empty address would succeed and give nothing. */
async function checkAggregators(
  { network, accounts }: ChainAdapter,
  keys: Readonly<Record<string, string>>,
): Promise<Check[]> {
  return Promise.all(
    (network.aggregators ?? []).map(async ({ name, router }) => {
      const title = `${network.name} aggregator ${name}`
      const fix = `Correct the file of ${network.name}`
      try {
        if (!(await inTime(accounts?.isContract(router) ?? Promise.resolve(false))))
          return fail(title, `there is no contract at its router ${router}`, fix)
      } catch (error) {
        return fail(title, reasonOf(error), fix)
      }
      const setting = `AGGREGATOR_KEY_${name.toUpperCase()}`
      return keys[name.toUpperCase()]
        ? ok(title, `its router ${router} is a contract, and ${setting} is set`)
        : warn(title, `its router ${router} is a contract; it has no API key`, `Set ${setting}, if it wants one`)
    }),
  )
}

function checkPrivateSubmission({ name, privateSubmission }: Network): Check[] {
  if (!privateSubmission) return []
  const { url, method } = privateSubmission
  return [ok(`${name} private submission`, `exchanges go to ${new URL(url).host} by ${method}, and to no node`)]
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)))
  })
  return Promise.race([work, late])
}
