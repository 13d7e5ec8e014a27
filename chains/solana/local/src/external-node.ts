/**
 * The conformance suite's chain on an external node (solana-test-validator, Surfpool, a cluster of your own). It needs
 * only calls that every node answers. A funding key, or the node's airdrop, pays for a mint, the nonce accounts and the
 * test users.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '@causeway/core'
import { address, createAddressWithSeed, createNoopSigner } from '@solana/kit'
import { getCreateAccountWithSeedInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
} from '@solana-program/token'
import {
  type ElsewhereChain,
  type ElsewhereOptions,
  NEEDED_WHOLE,
} from '../../../../tests/support/conformance/external-node.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { latestBlock, nativeBalance, rentFor } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { type Wallet, walletOf } from '../../src/paying/keypair.ts'
import { makeNonceAccount } from '../../src/paying/make-nonce-account.ts'
import { nonceAddresses } from '../../src/paying/nonce.ts'
import { landFrom } from '../../src/paying/send-and-wait.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import { testNetwork } from './testbed.ts'
import { openWallets } from './wallet.ts'

const NEEDED = NEEDED_WHOLE * 1_000_000_000n
const NONCES = 8
const TOKEN_DECIMALS = 6
const AIRDROP_TIMEOUT_MS = 60_000
const POLL_MS = 100

export async function openElsewhere({ url, fundingKey, seed }: ElsewhereOptions): Promise<ElsewhereChain> {
  const node = openNode(url, { timeoutMs: 30_000, parallel: 8 })
  const funder = await (fundingKey === undefined ? walletFrom(seed) : walletOf(fundingKey))
  await enrich(node, funder)
  // The mint's address is derived from the funder: a new key would have to sign, too.
  const mintSeed = createHash('sha256').update(seed).digest('hex').slice(0, 32)
  const from = { baseAddress: funder.address, programAddress: address(TOKEN_PROGRAM) }
  const mint = await createAddressWithSeed({ ...from, seed: mintSeed })
  const settings = { nonce_base: funder.address, nonce_accounts: NONCES }
  const network = testNetwork({ settings }, { USDC: mint })
  const wallets = openWallets(() => node)
  const newest = async () => (await node.ask([latestBlock('confirmed')]))[0].slot
  return {
    network,
    start: async (treasury) => {
      await makeMint(node, funder, mint, mintSeed)
      for (const [number, nonce] of (await nonceAddresses(funder.address, NONCES)).entries()) {
        await makeNonceAccount(node, funder, treasury, { nonce, number })
      }
      return {
        ...wallets,
        accounts: await Promise.all(['sender', 'other'].map((name) => walletFrom(`${seed} ${name}`))),
        async fund(token, owner, units) {
          if (token.contract === null) await wallets.transfer(funder, token, owner, units)
          else await mintTo(node, funder, token.contract, owner, units)
        },
        async mine(_, blocks) {
          const target = (await newest()) + BigInt(blocks)
          while ((await newest()) < target) await wait(POLL_MS)
        },
      }
    },
  }
}

async function enrich(node: Node, { address: of }: Wallet): Promise<void> {
  const isRich = async () => (await node.ask([nativeBalance(of)]))[0] >= NEEDED
  if (await isRich()) return
  await node.settle([{ method: 'requestAirdrop', params: [of, Number(NEEDED)], read: (answer) => answer }])
  const deadline = Date.now() + AIRDROP_TIMEOUT_MS
  while (!(await isRich())) {
    if (Date.now() > deadline)
      throw new Error(`${of} needs ${NEEDED_WHOLE} SOL: name another key in SOLANA_FUNDING_KEY`)
    await wait(POLL_MS)
  }
}

async function makeMint(node: Node, funder: Wallet, mint: Address, seed: string): Promise<void> {
  const [rent] = await node.ask([rentFor(getMintSize())])
  const payer = createNoopSigner(funder.address)
  await landFrom(node, funder, [
    getCreateAccountWithSeedInstruction({
      ...{ payer, newAccount: address(mint), baseAccount: payer, base: funder.address, seed, amount: rent },
      ...{ space: BigInt(getMintSize()), programAddress: address(TOKEN_PROGRAM) },
    }),
    getInitializeMint2Instruction({ mint: address(mint), decimals: TOKEN_DECIMALS, mintAuthority: funder.address }),
  ])
}

async function mintTo(node: Node, funder: Wallet, mint: Address, owner: Address, units: bigint): Promise<void> {
  const token = address(await associatedAccount(owner, mint, TOKEN_PROGRAM))
  const payer = createNoopSigner(funder.address)
  await landFrom(node, funder, [
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: token, owner: address(owner), mint: address(mint) }),
    getMintToInstruction({ mint: address(mint), token, mintAuthority: payer, amount: units }),
  ])
}
