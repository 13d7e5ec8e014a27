import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DevnetFamily } from '@causeway/core'
import { expect, it } from 'vitest'
import { stageNetworks } from './networks.ts'

const family: DevnetFamily = {
  type: 'evm',
  start: async () => {
    throw new Error('nothing is started here')
  },
}

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-test-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}

it('a network without a local chain is left out, so that its public nodes are never called', async () => {
  const folder = folderOf({
    'A.json': JSON.stringify({ name: 'A', type: 'evm' }),
    'B.json': JSON.stringify({ name: 'B', type: 'bitcoin', nodes: ['https://node.example'] }),
    'notes.md': 'not a network',
  })
  const staged = await stageNetworks(folder, async (type) => (type === 'evm' ? family : null))
  expect(staged.leftOut).toEqual(['B'])
  expect(readdirSync(staged.folder)).toEqual(['A.json'])
  await staged.remove()
})

it('a file that is not JSON is named', async () => {
  const folder = folderOf({ 'A.json': '{' })
  await expect(stageNetworks(folder, async () => family)).rejects.toThrow(/A\.json cannot be read/)
})

it('a network without a stand-in is left out; others get the local chain’s settings', async () => {
  const folder = folderOf({
    'NEAR.json': JSON.stringify({ name: 'NEAR', type: 'evm', settings: { kind: 'local' } }),
    'FAR.json': JSON.stringify({ name: 'FAR', type: 'evm', settings: { kind: 'public' } }),
  })
  const staged = await stageNetworks(folder, async () => ({
    ...family,
    standIn: (settings) => (settings.kind === 'local' ? { ...settings, chain: 'own' } : null),
  }))
  expect(staged.leftOut).toEqual(['FAR'])
  const near = JSON.parse(readFileSync(path.join(staged.folder, 'NEAR.json'), 'utf8'))
  expect(near).toEqual({ name: 'NEAR', type: 'evm', settings: { kind: 'local', chain: 'own' } })
  await staged.remove()
})

it('a real network is used without its nodes and with few confirmations', async () => {
  const real = {
    name: 'A',
    type: 'evm',
    nodes: ['https://node.example'],
    confirmations: [
      { up_to_usd: 1000, confirmations: 20 },
      { up_to_usd: 10000, confirmations: 120 },
      { up_to_usd: null, confirmations: 3 },
    ],
    final_depth: 1200,
    poll_ms: 1000,
    settings: { kind: 'public' },
  }
  const own = { ...real, name: 'B', nodes: [], final_depth: 6 }
  const folder = folderOf({ 'A.json': JSON.stringify(real), 'B.json': JSON.stringify(own) })
  const staged = await stageNetworks(folder, async () => family)
  const read = (file: string) => JSON.parse(readFileSync(path.join(staged.folder, file), 'utf8'))
  expect(read('A.json')).toEqual({
    ...real,
    nodes: [],
    confirmations: [
      { up_to_usd: 1000, confirmations: 1 },
      { up_to_usd: 10000, confirmations: 2 },
      { up_to_usd: null, confirmations: 3 },
    ],
    final_depth: 8,
    idle_poll_ms: 5_000,
  })
  expect(read('B.json')).toEqual({ ...own, idle_poll_ms: 5_000 })
  await staged.remove()
})

it('a halted network is left out', async () => {
  const folder = folderOf({ 'A.json': JSON.stringify({ name: 'A', type: 'evm', inactive: 'halted' }) })
  const staged = await stageNetworks(folder, async () => family)
  expect(staged.leftOut).toEqual(['A'])
  await staged.remove()
})
