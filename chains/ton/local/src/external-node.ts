/**
 * The conformance suite's chain on an external node: any behind toncenter's API v2, such as MyLocalTon's. The funding
 * key pays all accounts and mints a jetton; blocks come at the chain's pace.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '@causeway/core'
import { beginCell, contractAddress, internal } from '@ton/core'
import { mnemonicNew } from '@ton/crypto'
import {
  type ElsewhereChain,
  type ElsewhereOptions,
  NEEDED_WHOLE,
} from '../../../../tests/support/conformance/external-node.ts'
import { canonical, tonAddress } from '../../src/address.ts'
import { openJettons } from '../../src/jetton.ts'
import { accountState, masterchainInfo } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { accountFrom, type LocalAccount } from './accounts.ts'
import { MINTER_CODE, mintBody, minterData } from './jetton.ts'
import { testNetwork } from './test-network.ts'
import { openWallets, sendFrom, type WalletChain } from './wallet.ts'

const TON = 1_000_000_000n
/** Value attached to a mint: it deploys the minter and the wallet. */
const MINT_VALUE = TON / 5n
const POLL_MS = 100
const MINT_TIMEOUT_MS = 60_000

export async function openElsewhere({ url, fundingKey, seed }: ElsewhereOptions): Promise<ElsewhereChain> {
  const node = openNode(url, { timeoutMs: 30_000, requestsPerSecond: 0 })
  if (fundingKey === undefined) throw new Error('put the 24 words of a wallet (v4) with money into TON_FUNDING_KEY')
  const funder = await accountFrom(fundingKey)
  const [{ zeroState }, { balance }] = [await node.ask(masterchainInfo()), await node.ask(accountState(funder.address))]
  if (balance < NEEDED_WHOLE * TON) throw new Error(`${funder.address} of TON_FUNDING_KEY needs ${NEEDED_WHOLE} TON`)
  const content = beginCell().storeStringTail(seed).endCell()
  const minter = { code: MINTER_CODE, data: minterData(funder.wallet.address, content) }
  const plain = testNetwork({ settings: { zero_state: zeroState, testnet: true } })
  const contract = canonical(contractAddress(0, minter))
  const network = {
    ...plain,
    tokens: plain.tokens.map((token) => (token.contract === null ? token : { ...token, contract })),
  }
  const chain = { node, jettons: openJettons() }
  const newest = async () => (await node.ask(masterchainInfo())).head.number
  return {
    network,
    start: async () => {
      const words = await Promise.all(['sender', 'other'].map(() => mnemonicNew()))
      const accounts = await Promise.all(words.map((phrase) => accountFrom(phrase.join(' '))))
      const wallets = openWallets(() => chain, [funder, ...accounts])
      return {
        ...wallets,
        accounts,
        async fund(token, to, units) {
          if (token.contract === null) await wallets.transfer(funder, token, to, units)
          else await mintFrom(chain, funder, minter, { master: token.contract, to, units })
        },
        async mine(_, blocks) {
          const target = (await newest()) + BigInt(blocks)
          while ((await newest()) < target) await wait(POLL_MS)
        },
      }
    },
  }
}

interface Mint {
  master: Address
  to: Address
  units: bigint
}

/** The minter is deployed with its first message; later messages repeat that without effect. */
async function mintFrom(
  chain: WalletChain,
  funder: LocalAccount,
  init: { code: typeof MINTER_CODE; data: ReturnType<typeof minterData> },
  { master, to, units }: Mint,
): Promise<void> {
  const { node, jettons } = chain
  const body = mintBody(tonAddress(to), units)
  await sendFrom(node, funder, internal({ to: tonAddress(master), value: MINT_VALUE, bounce: true, init, body }))
  const deadline = Date.now() + MINT_TIMEOUT_MS
  for (;;) {
    // Every account gets jettons once, so an existing wallet has them; the minter itself may not exist yet.
    const wallet = await jettons.walletOf(node, master, to).catch(() => null)
    if (wallet !== null && (await node.ask(accountState(wallet))).isActive) return
    if (Date.now() > deadline) throw new Error(`${to} did not get its jettons`)
    await wait(POLL_MS)
  }
}
