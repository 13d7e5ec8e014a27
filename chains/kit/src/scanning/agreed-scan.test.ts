import type { Scan } from '@causeway/core'
import { RetryLater } from '@causeway/core'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../../../core/src/fixtures.ts'
import { poolNodes } from '../pool/nodes.ts'
import { agreedScan } from './agreed-scan.ts'

const FOUND: Scan = {
  sightings: [],
  next: 'after block 7',
  head: { number: 7n, hash: '0xa' },
  scannedTo: 7n,
  reorgFrom: null,
}

/** A scan that found block 7 with hash 0xa, while nodes show these hashes at its height. */
function scanned(
  shown: readonly (string | null)[],
  { quorum = 2, cursor = 'before', hash = '0xa' as string | null } = {},
) {
  const asked: bigint[] = []
  const rpc = poolNodes({
    network: 'TEST',
    nodes: shown.map((has, place) => ({ name: `node${place}.example`, has })),
    verify: async () => {},
    quorum,
    log: { info() {}, warn() {}, error() {} },
    now: () => 0,
  })
  const found = agreedScan({ network: networkOf({ quorum }), rpc }, cursor, {
    scan: async () => FOUND,
    blockOf: ({ head: { number } }) => ({ number, hash }),
    async hashAt({ has }, number) {
      asked.push(number)
      return has
    },
  })
  return { found, asked }
}

describe('a scan whose last block the quorum must show', () => {
  it('is taken if the quorum shows the same block', async () => {
    const { found, asked } = scanned(['0xa', '0xa'])
    expect(await found).toBe(FOUND)
    expect(asked).toEqual([7n, 7n])
  })

  it('waits if the quorum shows another block, or none', async () => {
    await expect(scanned(['0xb', '0xb']).found).rejects.toThrow(RetryLater)
    await expect(scanned([null, null]).found).rejects.toThrow(/nodes do not agree on block 7/)
  })

  it('waits if there is no quorum', async () => {
    await expect(scanned(['0xa', '0xb']).found).rejects.toThrow(RetryLater)
  })

  it('waits if the scan does not know the hash that the quorum shows', async () => {
    await expect(scanned(['0xa', '0xa'], { hash: null }).found).rejects.toThrow(RetryLater)
  })

  it('asks no node if the quorum is one, or if the cursor did not move', async () => {
    for (const options of [{ quorum: 1 }, { cursor: FOUND.next }]) {
      const { found, asked } = scanned(['0xb', '0xb'], options)
      expect(await found).toBe(FOUND)
      expect(asked).toEqual([])
    }
  })
})
