/**
 * Paradex as a kind of Starknet: USDC pays fees, accounts use a proxy, payouts go into trading balances, reads are
 * signed.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { type Address, Bug, type Network, settingsReader } from '@causeway/core'
import {
  ADDRESS,
  balanceOf,
  chainIdOf,
  FELT,
  type Kind,
  type Node,
  type Profile,
  readSettings,
  type Settings,
  selector,
  shortString,
} from '@causeway/starknet/kit'
import { depositCalls, plainCalls } from './payout-calls.ts'
import { signedReads } from './signed-reads.ts'

/** The proxy class and the arguments that determine an account's address, and its initial implementation. */
const PROXY_CLASS = 0x3530cc4759d78042f1b543bf797f5f3d647cde0388c33734cf91b7f7b9314a9n
const ACCOUNT_CLASS = 0x41cb0280ebadaa75f996d8d92c6f265f6d040bb3ba442e5f86a554f1765244en
const INITIALIZE = selector('initialize')
/** Each network has its own USDC contract, so the native token has a neutral address. */
const NATIVE = `0x${'0'.repeat(64)}`

export const paradex: Kind = {
  type: 'paradex',
  nativeAddress: NATIVE,
  treasuryKey: { curve: 'stark', path: "m/44'/9004'/1'/0/0" },
  mainnetId: shortString('PRIVATE_SN_PARACLEAR_MAINNET'),
  profileOf,
}

function profileOf(network: Network): Profile {
  const read = settingsReader(network)
  const implementation = read.optional('account_implementation', FELT) ?? ACCOUNT_CLASS
  const payout = read.oneOf('payout', ['paraclear', 'transfer'])
  const paraclear = read.optional('paraclear', ADDRESS)
  const settings = readSettings(read, {
    accountClass: PROXY_CLASS,
    feeToken: null,
    // The price limit, in millionths of a dollar per unit of gas, which nodes are assumed to report: check this first.
    maxL2Price: 4n,
    maxDataPrice: 1_000n,
    // It is unknown whether its gateway takes batches, and how it masks their answers.
    batchSize: 1,
  })
  read.nothingElse()
  if (network.tokens.some(({ contract }) => contract !== null)) {
    throw new Bug('only the native token is paid on this network', { network: network.name })
  }
  if (payout === 'paraclear' && paraclear === null) {
    throw new Bug('setting paraclear must be given where payouts go through it', { network: network.name })
  }
  const { feeToken } = settings
  return {
    settings,
    constructorCalldata: (publicKey) => [implementation, INITIALIZE, 2n, publicKey, 0n],
    payoutCalls: (transfers) =>
      payout === 'paraclear' && paraclear !== null
        ? depositCalls(paraclear, feeToken, transfers)
        : plainCalls(feeToken, transfers),
    contracts: paraclear === null ? [] : [paraclear],
    // During a lockdown deposits fail for a while, so no rejection by Paraclear is final.
    isPassing: () => payout === 'paraclear',
    wording: (signer, account) =>
      signedReads({ chainId: chainIdOf(network), account, key: paradex.treasuryKey, signer, now: Date.now }),
    examine: (node, plain, treasury) => assertUnmasked(settings, node, plain, treasury),
  }
}

/**
 * Throws if reads are masked: an authenticated caller must see more than the public. A masked answer looks like a real
 * one.
 */
async function assertUnmasked({ feeToken }: Settings, node: Node, plain: Node, treasury: Address): Promise<void> {
  const look = balanceOf(BigInt(feeToken), treasury, 'latest')
  const [[own], [strange]] = await Promise.all([node.ask([look]), plain.ask([look])])
  if (own > 0n && own !== strange) return
  throw new NodeFailure(
    `node ${node.name} shows nothing of the treasury that it hides from strangers: it holds nothing, or is masked`,
  )
}
