/**
 * The rules of `docs/rules.md` for this family, each on a real virtual machine; a proxy simulates what only other
 * programs can do.
 */
import type { Inspection } from '@causeway/core'
import { address, createNoopSigner, type Instruction } from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getCreateAccountInstruction } from '@solana-program/system'
import { getInitializeAccount3Instruction, getTransferInstruction } from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import type { Wallet } from '../../src/paying/keypair.ts'
import { nativeTransfer, tokenTransfer } from '../../src/paying/order.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import {
  type Answer,
  control,
  sendAs,
  sightedAs,
  startChain,
  startProxy,
  type TestChain,
  tokenOf,
  USDC,
  walletAt,
} from './testbed.ts'

let chain: TestChain
let user: Wallet
beforeAll(async () => {
  chain = await startChain()
  user = await walletAt(chain.local, 0)
})
afterAll(() => chain.local.stop())

const MEMO_V1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'
const MEMO_V2 = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
const memo = (text: string, program = MEMO_V1): Instruction =>
  getAddMemoInstruction({ memo: text }, { programAddress: address(program) })
const sol = (units: bigint, to = chain.treasury): Instruction =>
  nativeTransfer(createNoopSigner(user.address), to, units)
const usdc = (units: bigint): Promise<Instruction[]> => {
  const from = createNoopSigner(user.address)
  const transfer = { from, to: chain.treasury, mint: USDC, program: TOKEN_PROGRAM, units, decimals: 6, payer: from }
  return tokenTransfer(transfer)
}

const seen = (instructions: readonly Instruction[], adapter = chain.adapter) =>
  sightedAs(chain, adapter, [user], instructions)

describe('row 27: a transaction that failed', () => {
  it('is ignored, however well its memo and its transfer look', async () => {
    const ours = staticWatchlist(chain.treasury)
    const before = await chain.local.balance(chain.network.nativeToken, chain.treasury)
    const instructions = [sol(5_000_000n), memo('27'), sol(10n ** 18n)]
    const { next } = await chain.adapter.scan(null, ours)
    const hash = await sendAs(chain.node, user, instructions)
    expect(await chain.adapter.inspect(hash, ours)).toMatchObject({ state: 'failed' })
    expect((await chain.adapter.scan(next, ours)).sightings).toEqual([])
    expect(await chain.local.balance(chain.network.nativeToken, chain.treasury)).toBe(before)
  })
})

describe('row 28: memos and plain transfers', () => {
  it('a memo of the older and of the newer program is read', async () => {
    for (const program of [MEMO_V1, MEMO_V2]) {
      expect(await seen([sol(1_000_000n), memo('2801', program)])).toMatchObject([
        { reference: 2801n, refundableSender: user.address, to: chain.treasury, amount: { units: 1_000_000n } },
      ])
    }
  })

  it('a memo in an inner instruction only is ignored', async () => {
    const proxy = await startProxy(chain.url, (_, answer) => rewritten(answer, 'move'))
    const adapter = await chain.open({ nodes: [proxy.url] })
    expect(await seen([sol(1_000_001n), memo('2802')], adapter)).toMatchObject([
      { reference: null, amount: { units: 1_000_001n } },
    ])
    await proxy.stop()
  })

  it('a memo inside and outside is one memo, and the transfer one credit', async () => {
    const proxy = await startProxy(chain.url, (_, answer) => rewritten(answer, 'copy'))
    const adapter = await chain.open({ nodes: [proxy.url] })
    const sightings = await seen([sol(1_000_002n), memo('2803')], adapter)
    expect(sightings).toMatchObject([{ reference: 2803n, amount: { units: 1_000_002n } }])
    await proxy.stop()
  })

  it('two memos name no swap', async () => {
    expect(await seen([sol(1_000_003n), memo('2804'), memo('2804')])).toMatchObject([{ reference: null }])
  })

  it('a memo that is not a plain number names no swap', async () => {
    for (const text of ['028', ' 28', '28 ', '+28', '0x1c', '2.8', 'swap 28', '99999999999999999999']) {
      expect(await seen([sol(1_000_004n), memo(text)]), text).toMatchObject([{ reference: null }])
    }
  })

  it('one memo over two kinds of money to us names no swap, and both are seen', async () => {
    const sightings = await seen([sol(1_000_005n), ...(await usdc(77n)), memo('2805')])
    expect(sightings).toHaveLength(2)
    expect(sightings.map(({ reference }) => reference)).toEqual([null, null])
    expect(new Set(sightings.map(({ index }) => index)).size).toBe(2)
  })

  it('several transfers of one kind to one place are one credit of their sum', async () => {
    expect(await seen([sol(1_000_000n), memo('2806'), sol(2_000_000n)])).toMatchObject([
      { reference: 2806n, amount: { units: 3_000_000n } },
    ])
  })

  it('a plain token transfer without a mint is identified by the receiving account', async () => {
    const [source, destination] = await Promise.all(
      [user.address, chain.treasury].map((owner) => associatedAccount(owner, USDC, TOKEN_PROGRAM)),
    )
    const authority = createNoopSigner(user.address)
    const transfer = getTransferInstruction({
      ...{ source: address(source ?? ''), destination: address(destination ?? ''), authority, amount: 123n },
    })
    const [sighting] = await seen([transfer, memo('2807')])
    expect(sighting).toMatchObject({ reference: 2807n, refundableSender: user.address, amount: { units: 123n } })
    expect(sighting?.amount.token).toEqual(tokenOf(chain.network, 'USDC'))
  })
})

describe('row 30: confirmed, then dropped', () => {
  it('is reported, unknown afterwards, and never final before the chain says so', async () => {
    const ours = staticWatchlist(chain.treasury)
    const { next } = await chain.adapter.scan(null, ours)
    const hash = await sendAs(chain.node, user, [sol(1_000_006n), memo('30')])
    const scan = await chain.adapter.scan(next, ours)
    expect(scan.sightings).toMatchObject([{ txHash: hash, reference: 30n }])
    expect(depthOf(await chain.adapter.inspect(hash, ours))).toBeLessThan(chain.network.finalDepth)
    await control(chain.node, 'devnet_reorg', 6)
    expect(await chain.adapter.inspect(hash, ours)).toEqual({ state: 'unknown' })
    const after = await chain.adapter.scan(scan.next, ours)
    expect(after.reorgFrom).toBeLessThanOrEqual(scan.sightings[0]?.block?.number ?? 0n)
    expect(after.sightings).toEqual([])
  })

  it('slots alone make nothing final: the node must say it of the transaction', async () => {
    const ours = staticWatchlist(chain.treasury)
    const hash = await sendAs(chain.node, user, [sol(1_000_007n), memo('31')])
    await control(chain.node, 'devnet_mine', 100)
    const proxy = await startProxy(chain.url, ({ method }, answer) =>
      method === 'getSignatureStatuses'
        ? JSON.parse(JSON.stringify(answer).replaceAll('"finalized"', '"confirmed"'))
        : undefined,
    )
    const stalled = await chain.open({ nodes: [proxy.url] })
    expect(depthOf(await stalled.inspect(hash, ours))).toBe(chain.network.finalDepth - 1)
    expect(depthOf(await chain.adapter.inspect(hash, ours))).toBeGreaterThanOrEqual(chain.network.finalDepth)
    await proxy.stop()
  })
})

describe('where it must arrive', () => {
  it('tokens in a non-associated account of ours are not credited, and logged as an error', async () => {
    const other = await walletFrom('another token account')
    const mint = address(USDC)
    const payer = createNoopSigner(user.address)
    const source = address(await associatedAccount(user.address, USDC, TOKEN_PROGRAM))
    const instructions = [
      getCreateAccountInstruction({
        ...{ payer, newAccount: createNoopSigner(other.address), lamports: 2_039_280n },
        ...{ space: 165n, programAddress: address(TOKEN_PROGRAM) },
      }),
      getInitializeAccount3Instruction({ account: other.address, mint, owner: address(chain.treasury) }),
      getTransferInstruction({ source, destination: other.address, authority: payer, amount: 900n }),
      memo('2808'),
    ]
    expect(await sightedAs(chain, chain.adapter, [user, other], instructions)).toEqual([])
    expect(
      chain.log.lines.some(({ level, message }) => level === 'error' && message.includes('not the associated')),
    ).toBe(true)
  })
})

describe('who sent it', () => {
  it('is set if exactly one wallet has less afterwards and has signed', async () => {
    expect(await seen([sol(1_000_000n)])).toMatchObject([{ refundableSender: user.address }])
    expect(await seen(await usdc(5n))).toMatchObject([{ refundableSender: user.address }])
  })

  it('is not set if another account paid the fee of a native transfer', async () => {
    const sponsor = await walletAt(chain.local, 1)
    const sightings = await sightedAs(chain, chain.adapter, [sponsor, user], [sol(1_000_000n)])
    expect(sightings).toMatchObject([{ refundableSender: null, amount: { units: 1_000_000n } }])
  })

  it('is set for a token even if another account paid the fee', async () => {
    const sponsor = await walletAt(chain.local, 1)
    const sightings = await sightedAs(chain, chain.adapter, [sponsor, user], await usdc(6n))
    expect(sightings).toMatchObject([{ refundableSender: user.address, amount: { units: 6n } }])
  })
})

function depthOf(inspection: Inspection): number {
  return inspection.state === 'included' ? inspection.confirmations : 0
}

interface Raw {
  transaction: { message: { accountKeys: string[]; instructions: { programIdIndex: number }[] } }
  meta: { innerInstructions: unknown[] }
}

/** As if another program had called the memo program, instead of the transaction or in addition to it. */
function rewritten(answer: Answer, how: 'move' | 'copy'): Answer {
  const { result } = answer
  if (typeof result !== 'object' || result === null) return answer
  const inBlock = 'transactions' in result ? (result.transactions as Raw[]) : []
  for (const raw of 'meta' in result ? [result as unknown as Raw] : inBlock) {
    const { message } = raw.transaction
    const isMemo = ({ programIdIndex }: { programIdIndex: number }) => message.accountKeys[programIdIndex] === MEMO_V1
    raw.meta.innerInstructions.push({ index: 0, instructions: message.instructions.filter(isMemo) })
    if (how === 'move') message.instructions = message.instructions.filter((instruction) => !isMemo(instruction))
  }
  return answer
}
