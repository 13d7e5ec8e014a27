/**
 * Attack A10 with spellings: on some chains an account has several written forms. Listing one form denies all of them.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { family as bitcoin } from '@causeway/bitcoin'
import type { Family } from '@causeway/core'
import { family as evm } from '@causeway/evm'
import { family as ton } from '@causeway/ton'
import { expect, test } from 'vitest'
import type { Chains } from '../../../server/src/catalogue/chains.ts'
import { parseConfig } from '../../../server/src/config.ts'
import { openScreener } from '../../../server/src/screening/open.ts'

/** The screener of a service with chains of these families and this list. */
function screenerOf(line: string) {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-deny-')), 'list.txt')
  writeFileSync(file, `# listed\n  ${line} # somebody\n`)
  const config = parseConfig({ DATABASE_URL: 'postgres://x', SIGNER: 'mnemonic', MNEMONIC: 'x', SCREENING_FILE: file })
  return openScreener(config, new Map(Object.entries({ bitcoin, evm, ton })) as unknown as Chains)
}

async function isDenied(family: Family, listed: string, used: string): Promise<boolean> {
  // The canonical form, as stored for a swap or a deposit.
  const address = family.parseAddress(used) ?? ''
  expect(address).not.toBe('')
  return (await screenerOf(listed).screen([{ network: family.type, address }])) !== null
}

test('of a TON account', async () => {
  const account = `0:${'fb'.repeat(32)}`
  // The raw form, and the user-friendly ones in both alphabets, bounceable and not.
  const forms = [
    account,
    account.toUpperCase(),
    'EQD7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-0EU',
    'UQD7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-xzR',
    'EQD7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+0EU',
    'UQD7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+xzR',
  ]
  const other = `0:${'fa'.repeat(32)}`
  for (const listed of forms) {
    expect(await isDenied(ton, listed, account), listed).toBe(true)
    expect(await isDenied(ton, listed, other), listed).toBe(false)
  }
})

test('of a Bitcoin and of an EVM address', async () => {
  const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  expect(await isDenied(bitcoin, segwit.toUpperCase(), segwit)).toBe(true)
  expect(await isDenied(bitcoin, segwit, segwit.toUpperCase())).toBe(true)
  const checksummed = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  expect(await isDenied(evm, checksummed.toLowerCase(), checksummed)).toBe(true)
  expect(await isDenied(evm, checksummed, checksummed.toLowerCase())).toBe(true)
})
