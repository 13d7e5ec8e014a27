/**
 * The rules of the API's specification, section by section, and the tests that check them. A rule whose test is renamed or
 * removed fails here. `server/src/api/spec/fields.test.ts` checks the fields.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { loadFamily } from '@causeway/server'
import { describe, expect, test } from 'vitest'
import { readCatalogue } from '../../catalogue/catalogue.ts'
import { onlyFamilies } from '../../catalogue/chains.ts'

const ROOT = path.join(import.meta.dirname, '../../../..')
const API = 'server/src/api'
const SWAPS = `${API}/resources/swaps`
const CATALOGUE = `${API}/resources/catalogue`
const EVM = 'chains/evm/src/depositing'
const BITCOIN = 'chains/bitcoin/src/depositing'
const RULES = `${API}/spec/rules.test.ts`
const STATES = `${API}/spec/states.test.ts`
const DEPOSITORY = 'tests/e2e/funding/depository.ts'

/** Rule, file, and a part of the test's title. */
const HELD: readonly (readonly [rule: string, file: string, name: string])[] = [
  ['1: the flow', RULES, '1: discover, quote, create'],
  ['1: direct transfer', RULES, 'funding: a direct transfer is the default'],
  ['1: deposit address', RULES, 'funding: use_deposit_address gives'],
  ['1: depository contract', DEPOSITORY, 'of a coin carries the value, and its call data decodes'],
  ['1.1: funding flags exclude each other', RULES, '1.1:'],
  ['1.2: networks with the transfer flow only', RULES, '1.2:'],
  ['1.3: names and identifiers', RULES, '1.3:'],
  ['1.3: zero addresses', 'core/src/money/network.test.ts', 'by any spelling of the native address'],
  [
    '1.3: zero addresses of the families',
    'server/src/api/spec/rules-and-their-tests.test.ts',
    '1.3: the native token of %s goes by',
  ],
  ['1.4: tokens by contract', RULES, '1.4:'],
  ['3: user_transfer_pending to completed', STATES, '3: user_transfer_pending, ls_transfer_pending, completed'],
  ['3: refund_pending and refunded', STATES, '3: a swap that cannot complete is refund_pending'],
  ['3: expired', STATES, '3: no deposit within the window is expired'],
  ['3: failed', STATES, '3: a deposit outside the limits fails'],
  ['3: pending_refund', STATES, '3: owed without a safe address'],
  ['3: refund rule 1', STATES, '3, refund rule 1'],
  ['3: refund rule 2', STATES, '3, refund rule 2'],
  ['3: refund rule 3', STATES, '3, refund rule 3'],
  [
    '4.1: networks and their filter',
    `${CATALOGUE}/networks.test.ts`,
    'types may be comma-separated, repeated, or both',
  ],
  ['4.1: sources and destinations', `${CATALOGUE}/routes.test.ts`, 'without a filter every token that can be swapped'],
  ['4.1: route filters', `${CATALOGUE}/routes.test.ts`, 'a network alone or a token alone'],
  ['4.1: limits', `${SWAPS}/quote.test.ts`, 'the limits are the smallest and largest amount'],
  ['4.2: quote', `${SWAPS}/quote.test.ts`, 'the undelivered part is exactly the fees'],
  ['4.2: create', `${SWAPS}/swaps.test.ts`, 'a swap waits for its deposit and shows every field'],
  ['4.2: body fields', RULES, '4.2: every optional body field'],
  ['4.2: list', `${SWAPS}/swap-list.test.ts`, 'pages hold 20, newest first, without gaps'],
  ['4.2: exclude_deposit_actions', RULES, '4.2: exclude_deposit_actions leaves them out'],
  ['4.2: deposit_actions', RULES, '4.2: the deposit actions of a swap stay the same'],
  ['4.2: by_transaction_hash', RULES, '4.2: a swap is found by its source transaction'],
  ['4.2: deposit_speedup', `${SWAPS}/swaps.test.ts`, 'a deposit hint is looked up by a worker'],
  ['4.2: authorize', `${CATALOGUE}/discovery.test.ts`, 'authorizing a swap that is not gasless is an error'],
  ['4.3: call_data encodes the swap', RULES, '4.3: call_data encodes the swap'],
  ['4.3: evm, coins', `${EVM}/deposit.test.ts`, 'a native deposit goes to the receiver with the memo'],
  ['4.3: evm, tokens', `${EVM}/deposit.test.ts`, 'a token deposit goes to the contract, carries no value'],
  ['4.3: bitcoin', `${BITCOIN}/deposit.test.ts`, 'a wallet’s push of any reference is read back'],
  ['4.3: bitcoin, over 80 bytes', `${BITCOIN}/deposit.test.ts`, '81 bytes'],
  ['4.3: solana, coins', 'chains/solana/local/src/deposit.test.ts', 'a native deposit is these bytes'],
  ['4.3: solana, tokens', 'chains/solana/local/src/deposit.test.ts', 'a token deposit creates the receiver'],
  ['4.3: ton, coins', 'chains/ton/src/transaction.test.ts', 'a deposit action is what a TON wallet needs'],
  ['4.3: ton, jettons', 'chains/ton/local/src/deposits.test.ts', 'one from the treasury’s own wallet is credited'],
  ['4.3: starknet', 'chains/starknet/local/src/deposits.test.ts', 'is two calls of one transaction: the transfer'],
  ['4.3: tron', 'chains/tron/local/src/deposits.test.ts', '"%s" is a number'],
  [
    '4.3: tron, what a wallet makes of it',
    'chains/tron/local/src/client.test.ts',
    'a deposit that the client makes to the letter is sighted',
  ],
  ['4.3: fuel', 'chains/fuel/local/src/client.test.ts', 'holds a request of the library, field by field'],
  ['4.4: tron', 'chains/tron/local/src/deposits.test.ts', 'accepts tokens and no coins, as specified'],
  ['4.4: depositNative', 'contracts/depository.test.ts', 'reach the receiver in the same call and are announced'],
  ['4.4: depositERC20', 'contracts/depository.test.ts', 'go from the depositor to the receiver and are announced'],
  ['4.4: encoded_args, coins', DEPOSITORY, 'of a coin carries the value, and its call data decodes'],
  ['4.4: encoded_args, tokens', DEPOSITORY, 'of a token carries nothing, and its call data decodes'],
  ['4.4: encoded words', DEPOSITORY, 'encoded arguments are those of the ABI, word for word'],
  ['4.4: the steps', DEPOSITORY, '%s is matched, counted once, paid, and fits the gas limit'],
  ['4.4: id must not be altered', DEPOSITORY, 'a deposit with another id is kept'],
  ['5: the key', RULES, '5: the key is optional'],
  ['5: attribution', `${API}/resources/account/accounts.test.ts`, 'a swap belongs to the app whose key made it'],
  [
    '5: higher limits with a key',
    `${API}/resources/account/accounts.test.ts`,
    'every response shows the remaining limit',
  ],
  ['7.1: the envelope', RULES, '7.1:'],
  ['7.2: unsupported depository', RULES, '7.2:'],
  ['7.3: both flags', RULES, '7.3:'],
  ['7.4: refund address', RULES, '7.4:'],
  ['7.5: no approval', DEPOSITORY, 'a deposit without approval reverts'],
  ['7.5: another receiver', DEPOSITORY, 'a deposit to another receiver reverts with NotWhitelisted'],
  ['8.1: amounts', RULES, '8.1:'],
  ['8.2: rate limits', RULES, '8.2:'],
  ['8.3: 80 bytes', RULES, '8.3:'],
  ['8.4: order of actions', RULES, '8.4:'],
]

/** Families of the table in 4.3. A family without a folder is not built, and none of its networks can be swapped. */
const FAMILIES = ['evm', 'bitcoin', 'solana', 'starknet', 'ton', 'tron', 'fuel']

test.each([
  ['evm', '0x0000000000000000000000000000000000000000'],
  ['solana', '11111111111111111111111111111111'],
  ['bitcoin', 'bitcoin'],
] as const)('1.3: the native token of %s goes by %s', async (type, address) => {
  expect((await loadFamily(type)).nativeAddress).toBe(address)
})

describe('every rule has its test', () => {
  test.each(HELD)('%s', (_, file, name) => {
    const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n')
    // A test, a row of a parametrised test, or the title after its rows.
    const isName = (line: string) => /^\s*((test|it)\b|\[|\](?: as const)?\)\()/.test(line)
    expect(lines.some((line) => isName(line) && line.includes(name))).toBe(true)
  })

  test.each(FAMILIES)('4.3: %s has a rule if and only if the family is built', (type) => {
    expect(HELD.some(([rule]) => rule.startsWith(`4.3: ${type}`))).toBe(isBuilt(type))
  })
})

test('4.3: no call_data for a closed network or a family that is not built', async () => {
  const folder = path.join(ROOT, 'networks/mainnet')
  const skipped: string[] = []
  const leaveOut = (network: string) => skipped.push(network)
  const { networks } = await readCatalogue(folder, {}, onlyFamilies(['evm', 'fuel', 'starkex']), leaveOut)
  expect(new Set(networks.map(({ type }) => type))).toEqual(new Set(['evm', 'fuel']))
  expect(skipped).toEqual(expect.arrayContaining(['IMMUTABLEX_MAINNET', 'TRON_MAINNET', 'STARKNET_MAINNET']))
})

function isBuilt(type: string): boolean {
  return existsSync(path.join(ROOT, 'chains', type))
}
