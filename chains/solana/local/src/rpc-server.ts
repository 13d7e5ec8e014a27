/**
 * The JSON-RPC of a local chain: the methods that the adapter and ordinary wallets call, with a node's own responses.
 */

import { RpcError } from '@causeway/devnet/kit'
import { type Address, address, type EncodedAccount, getBase58Encoder } from '@solana/kit'
import type { Commitment } from '../../src/node/calls.ts'
import { associatedAccount } from '../../src/tokens.ts'
import type { DevnetChain } from './chain.ts'
import { parcelOf } from './engine.ts'
import { fundNative, fundToken } from './genesis.ts'
import { blockJson, transactionJson } from './rpc-format.ts'
import { holdingOf, isTokenAccount } from './tokens.ts'

interface Options {
  commitment?: Commitment
  minContextSlot?: number
  encoding?: string
  limit?: number
  before?: string
  transactionDetails?: string
  skipPreflight?: boolean
  sigVerify?: boolean
  replaceRecentBlockhash?: boolean
}

type Method = (...params: never[]) => unknown

const MOST_MINED = 10_000
const VERSION = { 'solana-core': '2.3.0', 'feature-set': 0 }

export function methodsOf(chain: DevnetChain, options: { genesisHash: string }): Record<string, Method> {
  const { engine } = chain
  const mining = { automatic: true }

  const at = ({ commitment = 'finalized', minContextSlot = 0 }: Options = {}): Commitment => {
    if (chain.slotAt(commitment) < minContextSlot) {
      throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: chain.slotAt(commitment) })
    }
    return commitment
  }
  const inContext = <T>(given: Options | undefined, value: (commitment: Commitment) => T) => {
    const commitment = at(given)
    return { context: { apiVersion: '2.3.0', slot: chain.slotAt(commitment) }, value: value(commitment) }
  }
  const afterChange = <T>(result: T): T => {
    if (mining.automatic) chain.seal()
    return result
  }
  const landed = (signature: string, commitment: Commitment) => {
    const found = chain.transactions.get(signature)
    return found && found.slot <= chain.slotAt(commitment) ? found : null
  }

  return {
    getHealth: () => 'ok',
    getVersion: () => VERSION,
    getGenesisHash: () => options.genesisHash,
    getSlot: (given?: Options) => chain.slotAt(at(given)),
    getBlockHeight: (given?: Options) => chain.slotAt(at(given)),
    getLatestBlockhash: (given?: Options) =>
      inContext(given, (commitment) => {
        const slot = chain.slotAt(commitment)
        const block = chain.blocks.findLast((candidate) => candidate.slot === slot)
        return { blockhash: block?.hash, lastValidBlockHeight: slot + 150 }
      }),
    isBlockhashValid: (hash: string, given?: Options) =>
      inContext(given, () => chain.blocks.slice(-150).some((block) => block.hash === hash)),
    getMinimumBalanceForRentExemption: (bytes: number) => Number(engine.rentFor(bytes)),
    getRecentPrioritizationFees: () => [{ slot: chain.head().slot, prioritizationFee: 0 }],
    getFeeForMessage: (_message: string, given?: Options) => inContext(given, () => 5_000),
    getBalance: (of: Address, given?: Options) =>
      inContext(given, (commitment) => Number(chain.accountAt(of, commitment)?.lamports ?? 0n)),
    getAccountInfo: (of: Address, given?: Options) =>
      inContext(given, (commitment) => accountJson(chain.accountAt(of, commitment))),
    getMultipleAccounts: (all: Address[], given?: Options) =>
      inContext(given, (commitment) => all.map((of) => accountJson(chain.accountAt(of, commitment)))),
    getTokenAccountBalance: (of: Address, given?: Options) =>
      inContext(given, (commitment) => {
        const account = chain.accountAt(of, commitment)
        if (!account || !isTokenAccount(account)) throw new RpcError(-32602, 'Invalid param: could not find account')
        return holdingOf(engine, account, 0).uiTokenAmount
      }),
    sendTransaction: (text: string, given: Options = {}) =>
      afterChange(chain.accept(parcelOf(bytesOf(text, given)), given.skipPreflight === true)),
    simulateTransaction: (text: string, given: Options = {}) =>
      inContext({ commitment: 'confirmed', ...given }, () => {
        const parcel = parcelOf(bytesOf(text, given))
        const isStale = !given.replaceRecentBlockhash && !chain.isTimely(parcel)
        if (isStale) return { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0, accounts: null, returnData: null }
        const { err, logs, unitsConsumed } = engine.simulate(parcel, given.sigVerify === true)
        return { err, logs, unitsConsumed, accounts: null, returnData: null }
      }),
    getSignatureStatuses: (signatures: string[]) =>
      inContext({ commitment: 'processed' }, () => signatures.map((signature) => statusJson(chain, signature))),
    getSignaturesForAddress: (of: Address, given: Options = {}) => {
      const commitment = at(given)
      const all = (chain.history.get(of) ?? []).toReversed()
      const older = given.before ? all.slice(all.indexOf(given.before) + 1) : all
      return older
        .flatMap((signature) => landed(signature, commitment) ?? [])
        .slice(0, given.limit ?? 1_000)
        .map(({ signature, slot, time, outcome }) => ({
          signature,
          slot,
          blockTime: time,
          err: outcome.err,
          memo: null,
        }))
    },
    getTransaction: (signature: string, given: Options = {}) => {
      const found = landed(signature, at(given))
      return found && { slot: found.slot, blockTime: found.time, ...transactionJson(found, given.encoding) }
    },
    getFirstAvailableBlock: () => chain.blocks[0]?.slot ?? 0,
    getBlock: (slot: number, given: Options = {}) => blockJson(chain, slot, given),
    getBlocks: (from: number, to = Number.MAX_SAFE_INTEGER) =>
      chain.blocks.flatMap(({ slot }) => (slot >= from && slot <= to ? [slot] : [])),
    getBlocksWithLimit: (from: number, limit: number) => {
      const start = chain.blocks.findLastIndex(({ slot }) => slot < from) + 1
      return chain.blocks.slice(start, start + limit).map(({ slot }) => slot)
    },
    requestAirdrop: (to: Address, units: number) => afterChange(fundNative(chain, to, BigInt(units))),
    devnet_fund: async (mint: Address | null, owner: Address, units: string) => {
      if (mint === null) return afterChange(fundNative(chain, owner, BigInt(units)))
      const program = engine.account(mint)?.programAddress
      if (!program) throw new RpcError(-32602, `there is no mint ${mint}`)
      const account = address(await associatedAccount(owner, mint, program))
      return afterChange(fundToken(chain, { account, owner, mint }, BigInt(units)))
    },
    devnet_mine: (blocks: number) => {
      if (!(blocks >= 0 && blocks <= MOST_MINED)) throw new RpcError(-32602, `cannot mine ${blocks} blocks`)
      for (let block = 0; block < blocks; block++) chain.seal()
      return null
    },
    devnet_automine: (on: boolean) => {
      mining.automatic = on
      return null
    },
    devnet_reorg: (depth: number) => {
      chain.reorg(depth)
      return null
    },
  }
}

function statusJson(chain: DevnetChain, signature: string) {
  const found = chain.transactions.get(signature)
  if (!found) return null
  const { slot, outcome } = found
  const isConfirmed = slot <= chain.slotAt('confirmed')
  const isFinal = slot <= chain.slotAt('finalized')
  return {
    slot,
    confirmations: isFinal ? null : Math.max(0, chain.head().slot - slot),
    err: outcome.err,
    status: outcome.err === null ? { Ok: null } : { Err: outcome.err },
    confirmationStatus: isFinal ? 'finalized' : isConfirmed ? 'confirmed' : 'processed',
  }
}

function accountJson(account: EncodedAccount | null) {
  if (!account) return null
  const { lamports, programAddress, executable, data } = account
  return {
    lamports: Number(lamports),
    owner: programAddress,
    executable,
    rentEpoch: 0,
    space: data.length,
    data: [Buffer.from(data).toString('base64'), 'base64'],
  }
}

function bytesOf(text: string, { encoding }: Options): Uint8Array {
  return encoding === 'base64' ? Buffer.from(text, 'base64') : Uint8Array.from(getBase58Encoder().encode(text))
}
