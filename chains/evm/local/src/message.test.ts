/** Texts signed by wallets: by a key (EIP-191) and by a contract (EIP-1271). */
import { hashMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, startChain, testNetwork } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain(testNetwork())
})
afterAll(() => chain?.local.stop())

const owner = privateKeyToAccount(generatePrivateKey())
const text = 'Send the money of my swap back to this address.'
const verify = (address: string, signature: string, said = text) =>
  chain.adapter.messages?.verify({ address, text: said, signature })

test('a key signs for its own address', async () => {
  const signature = await owner.signMessage({ message: text })
  expect(await verify(owner.address, signature)).toBe(true)
  expect(await verify(owner.address, signature, `${text}!`)).toBe(false)
  expect(await verify(privateKeyToAccount(generatePrivateKey()).address, signature)).toBe(false)
  // A signature over the bare digest, without the prefix that keeps a text from being a transaction, is rejected.
  expect(await verify(owner.address, await owner.sign({ hash: hashMessage(hashMessage(text)) }))).toBe(false)
})

test('malformed signatures are rejected', async () => {
  const signature = await owner.signMessage({ message: text })
  for (const broken of [
    '',
    '0x',
    'x',
    signature.slice(2),
    signature.slice(0, -1),
    `${signature}00`,
    `0x${'0'.repeat(130)}`,
  ])
    expect(await verify(owner.address, broken)).toBe(false)
})

/** Returns this word for every call. */
const answering = (word: string) => `0x7f${word.padEnd(64, '0')}60005260206000f3`

test('a contract decides by EIP-1271: its key does not sign for it, and a revert is a rejection', async () => {
  const wallet = `0x${'5e'.repeat(19)}01`
  const signature = await owner.signMessage({ message: text })
  await control(chain.node, 'hardhat_setCode', wallet, answering('1626ba7e'))
  expect(await verify(wallet, '0x1234')).toBe(true)
  await control(chain.node, 'hardhat_setCode', wallet, answering('ffffffff'))
  expect(await verify(wallet, signature)).toBe(false)
  await control(chain.node, 'hardhat_setCode', wallet, '0x60006000fd')
  expect(await verify(wallet, signature)).toBe(false)
  // An account with code, and a valid signature of its own key.
  await control(chain.node, 'hardhat_setCode', owner.address, '0x60006000fd')
  expect(await verify(owner.address, signature)).toBe(false)
  // A delegation (EIP-7702) leaves the key in charge.
  await control(chain.node, 'hardhat_setCode', owner.address, `0xef0100${'5e'.repeat(20)}`)
  expect(await verify(owner.address, signature)).toBe(true)
})
