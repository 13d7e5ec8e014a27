/**
 * Local Bitcoin chains for the sandbox, the demo and the tests: one regtest node per network, a bank that holds the
 * first coins, ten funded accounts, and a block every other second.
 */
import { Bug, type Devnet, type DevnetFamily, type Network, type TestAccount, type Token } from '@causeway/core'
import { scriptOf } from '../../src/address.ts'
import { memoScript } from '../../src/depositing/deposit.ts'
import { scanCoins } from '../../src/node/calls.ts'
import { sumOf } from '../../src/scanning/locate-tx.ts'
import { CHAINS } from '../../src/settings.ts'
import type { Output } from '../../src/transaction.ts'
import { type Engine, startEngine } from './engine.ts'
import { accountFrom, signText, walletSend } from './wallet.ts'

const ACCOUNTS = 10
const SATS = 10n ** 8n
/** Initial coins per account, of the 13,000 that exist after the first blocks. */
const RICHES = 100n * SATS
/** SegWit is active from block 432 on, and coins of the first 150 blocks, 50 each, can be spent. */
export const FIRST_BLOCKS = 450
/** The block interval: short enough to watch a swap complete, long enough to see deposits wait. */
const BLOCK_EVERY_MS = 2_000
/** Funds are split into this many UTXOs, so that their owner can spend several at once. */
const GIFT_COINS = 16n

/** The account that funds all others. Its key is well known, like all keys here. */
export const bank = accountFrom('causeway local bank')
const miner = accountFrom('causeway local miner')

export const devnet: DevnetFamily = {
  type: 'bitcoin',
  // A local chain is a regtest, whatever its name: its addresses and keys are invalid on other chains.
  standIn: (settings) => ({ ...settings, chain: 'regtest' }),
  start: ({ networks }) => startDevnet(networks, BLOCK_EVERY_MS),
}

/** Without an interval, blocks are made only on demand: for tests of pending transactions. */
export async function startDevnet(networks: readonly Network[], blockEveryMs: number | null): Promise<Devnet> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountFrom(`causeway local account ${index}`))
  const chains = await Promise.all(
    networks.map(async ({ name }) => {
      const engine = await startEngine(process.env)
      await engine.mine(FIRST_BLOCKS, bank.address)
      const gifts = accounts.map(({ address }) => outputTo(address, RICHES))
      await walletSend(engine.node, bank, gifts)
      await engine.mine(1, miner.address)
      return [name, openChain(engine, bank, blockEveryMs)] as const
    }),
  )
  return devnetOver(new Map(chains), accounts)
}

export function devnetOver(chains: ReadonlyMap<string, LocalChain>, accounts: readonly TestAccount[]): Devnet {
  const chainOf = (network: string): LocalChain => {
    const chain = chains.get(network)
    if (!chain) throw new Bug('no local chain for this network', { network })
    return chain
  }
  const pay = ({ network }: Token, account: TestAccount, outputs: readonly Output[]) =>
    chainOf(network).inTurn(async (engine) => {
      const { txid } = await walletSend(engine.node, account, outputs)
      await engine.mine(1, miner.address)
      return txid
    })
  return {
    engine: [...chains.values()][0]?.engine.name ?? 'none',
    simulated: false,
    nodes: Object.fromEntries([...chains].map(([name, { engine }]) => [name, engine.url])),
    accounts,
    fund: async (token, address, units) => {
      await pay(token, chainOf(token.network).bank, giftTo(address, units))
    },
    mine: (network, blocks) => chainOf(network).inTurn((engine) => engine.mine(blocks, miner.address)),
    reorg: (network, depth) => chainOf(network).inTurn((engine) => engine.reorg(depth, miner.address)),
    deposit: (account, token, { toAddress, units, callData }) => {
      const memo = callData === null ? [] : [{ script: memoScript(callData), units: 0n }]
      return pay(token, account, [outputTo(toAddress, units), ...memo])
    },
    transfer: (account, token, to, units) => pay(token, account, [outputTo(to, units)]),
    signText: async (account, text) => signText(account, text),
    balance: async ({ network }, address) => {
      const [{ coins }] = await chainOf(network).engine.node.ask([scanCoins([address])])
      return sumOf(coins)
    },
    stop: async () => {
      await Promise.all([...chains.values()].map((chain) => chain.stop()))
    },
  }
}

interface LocalChain {
  engine: Engine
  bank: TestAccount
  /** Runs the work alone, so that no UTXO is selected twice and no block comes in between. */
  inTurn<T>(work: (engine: Engine) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** The bank owns the coins that fund other accounts. */
export function openChain(engine: Engine, bank: TestAccount, blockEveryMs: number | null): LocalChain {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
    const mine = last.then(() => work(engine))
    last = mine.catch(() => undefined)
    return mine
  }
  // If a block fails, the next one is made as usual.
  const timer = blockEveryMs
    ? setInterval(() => void inTurn(() => engine.mine(1, miner.address)).catch(() => undefined), blockEveryMs).unref()
    : undefined
  return {
    engine,
    bank,
    inTurn,
    stop: async () => {
      clearInterval(timer)
      await last
      await engine.stop()
    },
  }
}

function giftTo(address: string, units: bigint): Output[] {
  if (units < SATS) return [outputTo(address, units)]
  const share = units / GIFT_COINS
  const shares = Array.from({ length: Number(GIFT_COINS) }, () => share)
  return [
    outputTo(address, units - share * (GIFT_COINS - 1n)),
    ...shares.slice(1).map((part) => outputTo(address, part)),
  ]
}

function outputTo(address: string, units: bigint): Output {
  const script = scriptOf(address, CHAINS.regtest.prefixes)
  if (!script) throw new Bug('not an address of a local chain', { address })
  return { script, units }
}
