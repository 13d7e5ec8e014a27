/** Checked against the public chain: real cells, real hashes, real code. */
import { NodeFailure } from '@causeway/chain-kit'
import { beginCell, Cell, comment } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../tests/support/chains/signer.ts'
import { commentCell, depositAction, referenceIn } from './depositing/deposit.ts'
import type { Node } from './node/node.ts'
import { treasuryOf } from './paying/treasury.ts'
import { openHistory } from './scanning/history.ts'
import { drainOf, internalIn, parseTransaction, sourceOf } from './transaction.ts'

/** Mainnet, 28 May 2024, account EQD_vYX_upIIn1JjpRCuibeosLyLvqfHYQL7cVSk6E3gSxZL, as toncenter answers it. */
const PUBLIC = {
  data:
    'te6cckECCAEAAaoAA7V/+9hf+6kgifUmOlEK6Jt6iwvIu+p8dhAvtxVKToTeBLAAAqh7KylsF7+LIPs3UPK1QNTJoNYDgSVhoMiVN4sGauwS' +
    'maGoihTQAAKoeylBJBZlVuqgABRgwY5IAQIDAQGgBACCcnCI2cbJArzfFgcs45EyQV6laeQLFV3Q7hB2fmwD5Z2BmPpZimdKvsix0lklQ0Im' +
    'vtADJD2mxXqOYPnui2Y5Gg0CFQxAiM4DHBhgwY4RBgcBr0gBILekhv/LaTHG/5RnlgN0ulXlcemGdIsiSeRW8crncckAP+9hf+6kgifUmOlE' +
    'K6Jt6iwvIu+p8dhAvtxVKToTeBLM4DHABgpzBgAAVQ9lKCSczKrdSMAFAC4AAAAAMTc5NDQxMzcyNzkzNDg5NDA4MwCcQHvoj3wAAAAAAAAA' +
    'AB0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFvAAAAAAAAAAAAAAAAB' +
    'LUUtpEnlC4z33SeGHxRhIq/htUa7i3D8ghbwxhQTn44ESV9jCg==',
  hash: 'uXqQz3LEJjor09cIcZ4IoRQX+IGuVnjBR1zQzut1tKY=',
  lt: 46_762_307_000_001n,
  source: 'EQCQW9JDf-W0mON_yjPLAbpdKvK49MM6RZEk8it45XO45ECC',
  bodyHash: 'JVKtu+ai42U+2U18xF9gaEbhMJE4xjkKKQ9dBZAIlyQ=',
  comment: '1794413727934894083',
  value: 3_673_200n,
  fee: 396_402n,
}

describe('a transaction of the public chain', () => {
  const transaction = parseTransaction(PUBLIC.data)

  test('has the hash, time and account that the chain gave it', () => {
    expect(Buffer.from(transaction.hash, 'hex').toString('base64')).toBe(PUBLIC.hash)
    expect(transaction.lt).toBe(PUBLIC.lt)
    expect(transaction.account).toBe('ffbd85ffba92089f5263a510ae89b7a8b0bc8bbea7c76102fb7154a4e84de04b')
    expect(transaction).toMatchObject({ now: 1_716_874_922, isAborted: false, isBouncing: false, isUnborn: false })
  })

  test('has its amount, its sender and its cost', () => {
    const message = internalIn(transaction)
    expect(message && sourceOf(message)).toBe(PUBLIC.source)
    expect(message?.info.value.coins).toBe(PUBLIC.value)
    expect(drainOf(transaction)).toBe(PUBLIC.fee - PUBLIC.value)
  })

  test('carries the comment that we would have written', () => {
    expect(transaction.in?.body.hash().toString('base64')).toBe(PUBLIC.bodyHash)
    expect(commentCell(PUBLIC.comment).hash().toString('base64')).toBe(PUBLIC.bodyHash)
  })
})

test('a transaction whose messages cannot be read still has its place in the chain', () => {
  const { lt, hash, account, previous, now } = parseTransaction(PUBLIC.data)
  const whole = Cell.fromBase64(PUBLIC.data)
  const bare = beginCell().storeBits(whole.bits).endCell()
  const place = { lt, account, previous, now, hash: bare.hash().toString('hex') }
  expect(parseTransaction(bare.toBoc().toString('base64'))).toMatchObject({ ...place, isUnreadable: true, in: null })
  expect(hash).not.toBe(place.hash)
  expect(() => parseTransaction(Cell.EMPTY.toBoc().toString('base64'))).toThrow()
})

test('the treasury runs the code that explorers know as the highload wallet v3', async () => {
  const { init, address } = await treasuryOf(testSigner('ton'), 0x10ad)
  expect(init.code.hash().toString('hex')).toBe('11acad7955844090f283bf238bc1449871f783e7cc0979408d3f4859483e8525')
  expect(address).toMatch(/^EQ/)
})

test('a deposit action is what a TON wallet needs, and its address does not bounce', () => {
  const coin = { symbol: 'TON', contract: null, decimals: 9 }
  const { nativeToken } = sampleNetwork([coin], { name: 'TON_TESTNET', type: 'ton' })
  const receiver = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
  const request = { token: nativeToken, units: 1_500_000_000n, receiver, reference: 42n, sourceAddress: null }
  expect(JSON.parse(depositAction(request, receiver).callData ?? '')).toMatchObject({ jetton_wallet: receiver })
  expect(depositAction(request, null)).toEqual({
    type: 'transfer',
    toAddress: 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p',
    units: 1_500_000_000n,
    callData: '{"comment":"42","amount":"1500000000","asset":"TON"}',
    gasLimit: null,
    encodedArgs: null,
  })
})

test('a number is read from a comment only if it contains nothing else', () => {
  const reference = (text: string) => referenceIn(comment(text).beginParse())
  expect(reference('42')).toBe(42n)
  expect(reference('9007199254740991')).toBe(9_007_199_254_740_991n)
  for (const text of ['', '0', '042', ' 42', '42 ', '+42', '4.2', '0x2a', '٤٢', '1794413727934894083', 'swap 42'])
    expect(reference(text), text).toBeNull()
  expect(referenceIn(Cell.EMPTY.beginParse())).toBeNull()
})

test('a page of the past that several ask for at once is asked for once', async () => {
  let asked = 0
  const answer = Promise.withResolvers<never>()
  const node = {
    name: 'one',
    ask: () => {
      asked++
      return answer.promise
    },
  } as unknown as Node
  const history = openHistory()
  const from = { lt: 1n, hash: 'aa' }
  const walks = [1, 2, 3].map(() => history.walk(node, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', from).next())
  const ended = Promise.allSettled(walks)
  answer.reject(new NodeFailure('it is down'))
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(asked).toBe(1)
})
