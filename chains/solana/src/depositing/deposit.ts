/**
 * Deposit instructions: a whole transaction with the transfer and a memo with the swap's reference in decimal. The
 * wallet signs it unchanged, so it names its sender and a blockhash of the last minute.
 */
import { transferAction } from '@causeway/chain-kit'
import { type Address, ApiError, Bug, type DepositAction, type DepositRequest, RetryLater } from '@causeway/core'
import { address, createNoopSigner, type Instruction } from '@solana/kit'
import { getAddMemoInstruction, LEGACY_MEMO_PROGRAM_ADDRESS_V1 } from '@solana-program/memo'
import type { SolanaChain } from '../chain.ts'
import { latestBlock } from '../node/calls.ts'
import { toBase64, wireBytes, withBlockhash } from '../paying/message.ts'
import { nativeTransfer, tokenTransfer } from '../paying/order.ts'

/** Timeout of an API request that builds a deposit: an error is better than a page that hangs. */
const MOST_WAIT_MS = 3_000
/** How old a cached blockhash may be. It is valid for about a minute, and the user needs most of that. */
const BLOCKHASH_MS = 2_000

export function depositActions(chain: SolanaChain, now: () => number = Date.now) {
  let newest: { hash: Promise<string>; at: number } | null = null

  function recentBlockhash(): Promise<string> {
    if (newest && now() - newest.at < BLOCKHASH_MS) return newest.hash
    const hash = chain.quickRpc.use(async (node) => (await node.ask([latestBlock('confirmed')]))[0].blockhash)
    const asked = { hash, at: now() }
    newest = asked
    hash.catch(() => {
      if (newest === asked) newest = null
    })
    return hash
  }

  return async (request: DepositRequest): Promise<DepositAction> => {
    const { sourceAddress: sender } = request
    if (sender === null) {
      const problem = 'is needed on this network: the transaction is made for one sender'
      throw new ApiError('VALIDATION_ERROR', `source_address ${problem}.`, { source_address: problem })
    }
    const [hash, transfer] = await inTime(Promise.all([recentBlockhash(), transferFor(chain, request, sender)]))
    const memo = getAddMemoInstruction(
      { memo: request.reference.toString() },
      { programAddress: LEGACY_MEMO_PROGRAM_ADDRESS_V1 },
    )
    const callData = toBase64(wireBytes(withBlockhash(sender, hash, [...transfer, memo])))
    return transferAction(request, callData)
  }
}

async function transferFor(chain: SolanaChain, request: DepositRequest, sender: Address): Promise<Instruction[]> {
  const { token, receiver, units } = request
  if (units <= 0n) throw new Bug('a deposit needs an amount', { token: token.symbol, units })
  const from = createNoopSigner(address(sender))
  const { contract: mint } = token
  if (mint === null) return [nativeTransfer(from, receiver, units)]
  const program = await chain.quickRpc.use((node) => chain.programs.of(node, mint))
  return tokenTransfer({ from, to: receiver, mint, program, units, decimals: token.decimals, payer: from })
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RetryLater('no node answered in time')), MOST_WAIT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
