/** A file with `inactive` is read and shown, and its network is never opened. */
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readCatalogue, withNodes } from './catalogue.ts'

const SANDBOX = path.join(import.meta.dirname, '../../../networks/sandbox')

/** One working network and one that is marked as closed. */
function folderOf(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-closed-'))
  copyFileSync(path.join(SANDBOX, 'BASE_SEPOLIA.json'), path.join(folder, 'BASE_SEPOLIA.json'))
  const file = JSON.parse(readFileSync(path.join(SANDBOX, 'ZKSYNC_SEPOLIA.json'), 'utf8'))
  const closed = { ...file, nodes: ['https://gone.example/api'], inactive: 'it was retired' }
  writeFileSync(path.join(folder, 'ZKSYNC_SEPOLIA.json'), JSON.stringify(closed))
  return folder
}

test('it is listed separately, with its tokens and without nodes, even if nodes are configured', async () => {
  const asked: string[] = []
  const told: string[] = []
  const naming = async (type: string) => {
    asked.push(type)
    return { nativeAddress: 'native', parseAddress: (text: string) => text }
  }
  const here = ['http://127.0.0.1:1']
  const nodes = { BASE_SEPOLIA: here, ZKSYNC_SEPOLIA: here }
  const read = await readCatalogue(folderOf(), nodes, naming, (network, reason) => told.push(`${network}: ${reason}`))
  for (const { networks, closed } of [read, withNodes(read, () => undefined)]) {
    expect(networks.map(({ name }) => name)).toEqual(['BASE_SEPOLIA'])
    expect(closed.map(({ name, nodes: kept, tokens }) => [name, kept, tokens.length])).toEqual([
      ['ZKSYNC_SEPOLIA', [], 1],
    ])
  }
  expect(told).toEqual(['ZKSYNC_SEPOLIA: it was retired'])
  expect(asked, 'its family is not even loaded').toEqual(['evm'])
})
