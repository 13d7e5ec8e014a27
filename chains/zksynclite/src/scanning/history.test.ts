/** A history filled with dust is read as far as needed; pending entries do not delay it for ever. */
import { NodeFailure } from '@causeway/chain-kit'
import { expect, it } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import type { ZkSyncChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { walk } from './history.ts'
import { movements } from './movements.ts'

const account = '0x52908400098527886E0F7030069857D2E4169EE7'
const stranger = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const DUST = 25_000

/** Newest first; each in its own block, which has its number. */
function rowAt(number: number, changes: Record<string, unknown> = {}) {
  const words = { type: 'Transfer', accountId: 7, from: stranger, to: account, token: 0, amount: '1', fee: '0' }
  return {
    txHash: `sync-tx:${number.toString(16).padStart(64, '0')}`,
    blockNumber: number,
    status: 'finalized',
    op: { ...words, nonce: 0, validFrom: 0, validUntil: 1, ...changes },
  }
}

type Row = ReturnType<typeof rowAt>

function server(rows: readonly (Omit<Row, 'blockNumber'> & { blockNumber: number | null })[], nonce = 0) {
  const pages: string[] = []
  const places = new Map(rows.map(({ txHash }, place) => [txHash, place]))
  const answer = (path: string) => {
    const from = /from=([^&]+)/.exec(path)?.[1]
    if (from) {
      pages.push(from)
      const start = from === 'latest' ? 0 : (places.get(from) ?? 0)
      return { list: rows.slice(start, start + 100) }
    }
    if (path.startsWith('accounts')) return { address: account, accountId: 1, nonce, pubKeyHash: 'sync:', balances: {} }
    const number = /^blocks\/(\d+)$/.exec(path)?.[1] ?? DUST
    return { blockNumber: Number(number), newStateRoot: `0x${number}`, committedAt: '2026-01-01T00:00:00Z' }
  }
  const node: Node = { name: 'stub', ask: async ({ path, read }) => read(answer(path)) }
  return { node, pages }
}

const dust = () => Array.from({ length: DUST }, (_, place) => rowAt(DUST - place))

/** How many there are. */
async function lengthOf(node: Node): Promise<number> {
  let count = 0
  for await (const _ of walk(node, account)) count += 1
  return count
}

function moved(node: Node, from: bigint, to: bigint) {
  const network = sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], { name: 'X', type: 'zksynclite' })
  const rpc = { use: (ask: (node: Node) => unknown) => ask(node) }
  return movements({ network, rpc } as unknown as ZkSyncChain, account, from, to)
}

it('a past of more than twenty thousand transfers is read to its end', async () => {
  expect(await lengthOf(server(dust()).node)).toBe(DUST)
})

it('movements are reported even if our own newest transaction is far below them', async () => {
  const own = rowAt(2, { from: account, to: stranger, nonce: 4 })
  const rows = dust().map((row) => (row.blockNumber === 2 ? own : row))
  const found = await moved(server(rows, 5).node, 24_998n, 24_999n)
  expect(found.map(({ block }) => block.number)).toEqual([24_998n, 24_999n])
  await expect(moved(server(rows, 6).node, 24_998n, 24_999n)).rejects.toThrow('an older past')
})

it('without any transaction of ours, nothing older than requested is read', async () => {
  const { node, pages } = server(dust())
  expect(await moved(node, 24_998n, 24_999n)).toHaveLength(2)
  expect(pages).toEqual(['latest'])
})

it('a flood of what only waits, and a list that goes in a circle, end', async () => {
  const waiting = dust().map((row) => ({ ...row, blockNumber: null, status: 'queued' }))
  await expect(lengthOf(server(waiting).node)).rejects.toThrow(NodeFailure)
  const { node } = server(dust())
  await expect(lengthOf({ ...node, ask: circling(node) })).rejects.toThrow(NodeFailure)
})

/** Every page ends with the entry that it began with. */
function circling(node: Node): Node['ask'] {
  return ({ read, ...call }) =>
    node.ask({
      ...call,
      read(answer) {
        const { list } = answer as { list: Row[] }
        return read({ list: [...list.slice(0, 99), ...list.slice(0, 1)] })
      },
    })
}
