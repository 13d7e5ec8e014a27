/**
 * State that every module of an opened network shares: its nodes, its settings, its tokens by contract and its account.
 */
import { type AdaptiveBatch, adaptiveBatch, type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import { type Address, Bug, type OpenOptions, type Token } from '@causeway/core'
import type { Kind, Profile } from './kind.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import type { PriceSample } from './paying/price-history.ts'
import { type Account, accountOf } from './paying/treasury.ts'
import { chainIdOf, type Settings } from './settings.ts'

export interface StarknetChain extends ChainBase<Settings, Rpc> {
  kind: Kind
  profile: Profile
  chainId: bigint
  treasury: Address
  account: Account
  /** Listed tokens by the number of their contract, the native one among them. */
  tokens: ReadonlyMap<bigint, Token>
  /** Blocks that the next scan may read: fewer after a failure, so that a slow node still makes progress. */
  pace: AdaptiveBatch
  prices: PriceSample[]
}

type Opening = Pick<OpenOptions, 'network' | 'signer' | 'log' | 'spent'>

export async function openChain(kind: Kind, { network, signer, log, spent }: Opening): Promise<StarknetChain> {
  const profile = kind.profileOf(network)
  const { settings } = profile
  const chainId = chainIdOf(network)
  if (network.tokens.some(({ contract }) => contract === settings.feeToken)) {
    throw new Bug('the native token is listed a second time, by its contract', { network: network.name })
  }
  const account = await accountOf(kind, profile, signer)
  const treasury = account.address
  return {
    kind,
    profile,
    network,
    chainId,
    settings,
    rpc: openRpc({
      ...poolOptionsOf({ network, log, spent }),
      chainId,
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
      wording: profile.wording?.(signer, treasury),
      examine: (node, plain) => profile.examine?.(node, plain, treasury) ?? Promise.resolve(),
    }),
    signer,
    treasury,
    account,
    tokens: new Map(network.tokens.map((token) => [BigInt(token.contract ?? settings.feeToken), token])),
    pace: adaptiveBatch(settings.scanBlocks, () => performance.now()),
    prices: [],
    log,
  }
}
