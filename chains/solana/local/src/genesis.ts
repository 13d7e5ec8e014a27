/** Genesis of a local chain: the listed mints, money for the test accounts, and the treasury's nonce accounts. */
import { type Address, type EncodedAccount, lamports, type ReadonlyUint8Array } from '@solana/kit'
import { getNonceEncoder, NonceState, NonceVersion, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { Wallet } from '../../src/paying/keypair.ts'
import { transferOf, walletFrom } from './accounts.ts'
import type { DevnetChain } from './chain.ts'
import { durableNonce, parcelOf } from './engine.ts'
import { credited, mintAccount, supplied } from './tokens.ts'

/** Plain data, because it is sent to another process. */
export interface ChainPlan {
  network: string
  /** The genesis hash to report, if the network's file names one. */
  genesisHash: string | null
  mints: { address: Address; decimals: number }[]
  treasury: Address | null
  nonces: Address[]
  accounts: { address: Address; tokenAccounts: Address[] }[]
}

/** Initial balance of each test account, in whole coins of every kind. */
const RICHES = 1_000_000n
const SOL = 1_000_000_000n
/** Enough blocks that everything funded at the start is final for the first request. */
const FIRST_BLOCKS = 40

export async function setUp(chain: DevnetChain, plan: ChainPlan): Promise<void> {
  const { engine } = chain
  const faucet = await walletFrom('faucet')
  for (const { address, decimals } of plan.mints) place(chain, mintAccount(engine, address, decimals))
  for (const { address } of [...plan.accounts, faucet]) fundNative(chain, address, RICHES * SOL)
  for (const { address, tokenAccounts } of plan.accounts) {
    for (const [position, mint] of plan.mints.entries()) {
      const account = tokenAccounts[position]
      if (account)
        fundToken(chain, { account, owner: address, mint: mint.address }, RICHES * 10n ** BigInt(mint.decimals))
    }
  }
  if (plan.treasury) for (const nonce of plan.nonces) await placeNonce(chain, nonce, plan.treasury, faucet)
  for (let block = 0; block < FIRST_BLOCKS; block++) chain.seal()
}

export function fundNative(chain: DevnetChain, address: Address, units: bigint): void {
  const { engine } = chain
  chain.edit([address], () => {
    const held = engine.account(address) ?? systemAccount(address, 0n, new Uint8Array())
    engine.put({ ...held, lamports: lamports(held.lamports + units) })
  })
}

export function fundToken(
  chain: DevnetChain,
  holder: { account: Address; owner: Address; mint: Address },
  units: bigint,
): void {
  const { engine } = chain
  chain.edit([holder.account, holder.mint], () => {
    engine.put(credited(engine, holder, units))
    const mint = supplied(engine, holder.mint, units)
    if (mint) engine.put(mint)
  })
}

/** Creates a nonce account. A transaction touches it at once, so that its history begins as on a real chain. */
async function placeNonce(chain: DevnetChain, address: Address, authority: Address, faucet: Wallet): Promise<void> {
  const { engine } = chain
  const blockhash = durableNonce(engine.blockhash())
  const data = getNonceEncoder().encode({
    ...{ version: NonceVersion.Current, state: NonceState.Initialized, authority, blockhash },
    lamportsPerSignature: 5_000n,
  })
  place(chain, systemAccount(address, engine.rentFor(data.length), data))
  chain.accept(parcelOf(await transferOf(faucet, address, 1n, engine.blockhash())), false)
  chain.seal()
}

function place(chain: DevnetChain, account: EncodedAccount): void {
  chain.edit([account.address], () => chain.engine.put(account))
}

function systemAccount(address: Address, units: bigint, data: ReadonlyUint8Array): EncodedAccount {
  return {
    address,
    executable: false,
    lamports: lamports(units),
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: BigInt(data.length),
    data: Uint8Array.from(data),
  }
}
