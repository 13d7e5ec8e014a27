/**
 * Local StarkEx ledgers for the sandbox, the demo and the tests: a double of an operator in one child process, behind
 * its REST API. It is simulated: its batches have no proof.
 */
import {
  type Address,
  Bug,
  type Devnet,
  type DevnetFamily,
  type Network,
  type TestAccount,
  type Token,
  type TxHash,
} from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { quantumOf } from '../../src/asset.ts'
import { parseSettings } from '../../src/settings.ts'
import type { Request } from './codec.ts'
import type { Plan } from './operator.ts'
import { localAccounts, openWallet, strangersKey, type Wallet } from './wallet.ts'

/** Whole tokens of every kind for each test account. */
const RICHES = 100_000n
/** Networks with a short poll interval are the sandbox's: there batches are made automatically. */
const QUICK_POLL_MS = 300
const SANDBOX_BATCH_MS = 500
const DAY_HOURS = 24
const HOUR_MS = 3_600_000

export const devnet: DevnetFamily = {
  type: 'starkex',
  async start({ networks }) {
    const plans = Object.fromEntries(networks.map((network) => [network.name, planOf(network)]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), plans)
    const accounts = localAccounts()
    const opened = openDevnet(child, networks, accounts)
    try {
      for (const { name, tokens } of networks) {
        for (const account of accounts) {
          await ask(opened.nodes[name] ?? '', 'v1/users', await openWallet(account.secret).link())
          for (const token of tokens) await opened.fund(token, account.address, RICHES * 10n ** BigInt(token.decimals))
        }
      }
    } catch (error) {
      await opened.stop()
      throw error
    }
    return opened
  },
}

function openDevnet(child: ChainsProcess, networks: readonly Network[], accounts: readonly TestAccount[]): Devnet {
  const nodes = Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}`]))
  const urlOf = (network: string): string => {
    const url = nodes[network]
    if (url === undefined) throw new Bug('no local ledger for the network', { network })
    return url
  }
  const pay = (account: TestAccount, token: Token, to: Address, units: bigint, nonce: string | null) =>
    send(urlOf(token.network), openWallet(account.secret), { token, to, units, nonce })
  return {
    engine: 'a double of a StarkEx operator',
    simulated: true,
    nodes,
    accounts,
    async fund({ network, contract }, address, units) {
      await ask(urlOf(network), 'devnet/fund', { address, contract, units: units.toString() })
    },
    async mine(network, batches) {
      await ask(urlOf(network), 'devnet/mine', { batches })
    },
    async reorg(network, depth) {
      await ask(urlOf(network), 'devnet/rollback', { depth })
    },
    deposit: (account, token, { toAddress, units, callData }) => pay(account, token, toAddress, units, callData),
    transfer: (account, token, to, units) => pay(account, token, to, units, null),
    async balance({ network, contract }, address) {
      const { result } = (await ask(urlOf(network), `v2/balances?owners=${address}`)) as { result: Row[] }
      return BigInt(result.find(({ token_address }) => token_address === (contract ?? ''))?.balance ?? '0')
    },
    async introduce(network, address) {
      await ask(urlOf(network), 'devnet/link', { address, key: strangersKey(address) })
    },
    stop: child.stop,
  }
}

interface Row {
  token_address: string
  balance: string
}

interface Payment {
  token: Token
  to: Address
  units: bigint
  /** The nonce; null lets the operator choose one. */
  nonce: string | null
}

/** Requests the vaults, signs and sends. Returns the operator's id once the transfer is in a batch. */
async function send(url: string, wallet: Wallet, { token, to, units, nonce }: Payment): Promise<TxHash> {
  const named =
    token.contract === null ? { type: 'ETH', data: {} } : { type: 'ERC20', data: { token_address: token.contract } }
  const wanted = {
    sender_ether_key: wallet.address,
    signable_requests: [{ amount: `${units}`, receiver: to, token: named }],
  }
  const { signable_responses } = (await ask(url, 'v2/signable-transfer-details', wanted)) as {
    signable_responses: [Request]
  }
  const {
    nonce: drawn,
    amount,
    asset_id,
    receiver_stark_key,
    receiver_vault_id,
    sender_vault_id,
  } = signable_responses[0]
  const { body, headers } = await wallet.transfer({
    ...{ amount, asset_id, receiver_stark_key, receiver_vault_id, sender_vault_id, nonce: nonce ?? drawn },
    expiration_timestamp: `${Math.floor(Date.now() / HOUR_MS) + DAY_HOURS}`,
  })
  const { transfer_ids } = (await ask(url, 'v2/transfers', body, headers)) as { transfer_ids: [string] }
  await ask(url, 'devnet/mine', { batches: 1 })
  return transfer_ids[0]
}

/** Sends one request to the double, for tests. */
export async function ask(
  url: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${url}/${path}`, { ...posted, headers })
  const answer = await response.json()
  if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

function planOf(network: Network): Plan {
  const settings = parseSettings(network)
  const tokens = network.tokens.map(({ symbol, contract }) => ({
    ...{ symbol, contract, quantum: quantumOf(settings, { symbol, contract }).toString() },
  }))
  return { instance: settings.instance, tokens, batchMs: network.pollMs < QUICK_POLL_MS ? SANDBOX_BATCH_MS : null }
}
