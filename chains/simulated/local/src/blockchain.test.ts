import type { TestAccount } from '@causeway/core'
import { expect, it } from 'vitest'
import { hashOf, type Transaction } from '../../src/transaction.ts'
import { accountFrom, signedBy } from './account.ts'
import { createSimulatedChain, type SimulatedChain } from './blockchain.ts'

const alice = accountFrom('alice')
const bob = accountFrom('bob')
const FEE = 1_000n

it('the same calls give the same blocks', () => {
  const heads = [1, 2].map(() => {
    const chain = richChain()
    submit(chain, payment(0n, 5n))
    chain.mine(3)
    chain.reorg(2)
    return chain.blockAt(chain.height)?.hash
  })
  expect(heads[0]).toBe(heads[1])
})

it('every block names its parent, also after a reorg', () => {
  const chain = richChain()
  chain.mine(5)
  chain.reorg(3)
  for (let height = 1; height <= chain.height; height++) {
    expect(chain.blockAt(height)?.parent).toBe(chain.blockAt(height - 1)?.hash)
  }
  expect(chain.height).toBe(6)
})

it('money moves only by the hand of its owner', () => {
  const chain = richChain()
  chain.mint(bob.address, null, FEE)
  const theft = { ...payment(0n, 5n), account: bob.address }
  expect(chain.submit(signedBy(theft, bob))).toBe('unauthorised')
  expect(chain.submit(signedBy(payment(0n, 5n)))).toBe('unauthorised')
  expect(chain.submit(signedBy(theft, bob, alice))).toBe('accepted')
})

it('bytes that were altered are refused', () => {
  const chain = richChain()
  const bytes = signedBy(payment(0n, 5n), alice)
  expect(chain.submit(bytes.replace('\\"5\\"', '\\"6\\"'))).toBe('unauthorised')
  expect(chain.submit(`${bytes} `)).toBe('malformed')
  expect(chain.submit('hello')).toBe('malformed')
  expect(chain.submit(signedBy({ ...payment(0n, 5n), network: 'OTHER' }, alice))).toBe('malformed')
  expect(chain.mempool).toEqual([])
})

it('a transaction with a later nonce waits for the earlier one', () => {
  const chain = richChain()
  submit(chain, payment(1n, 7n))
  chain.mine()
  expect(chain.balance(bob.address, null)).toBe(0n)
  submit(chain, payment(0n, 5n))
  chain.mine()
  expect(chain.balance(bob.address, null)).toBe(12n)
  expect(chain.nonce(alice.address)).toBe(2n)
})

it('what displaces a waiting transaction pays a tenth more', () => {
  const chain = richChain()
  submit(chain, payment(0n, 5n))
  expect(chain.submit(signedBy(payment(0n, 6n, 1_099n), alice))).toBe('underpriced')
  expect(chain.submit(signedBy(payment(0n, 7n, 1_100n), alice))).toBe('accepted')
  chain.mine()
  expect(chain.balance(bob.address, null)).toBe(7n)
  expect(chain.submit(signedBy(payment(0n, 5n), alice))).toBe('slot used')
})

it('a transaction that offers less than a block asks for waits until blocks ask for less', () => {
  const chain = richChain()
  chain.feePerMove = 2n * FEE
  submit(chain, payment(0n, 5n))
  chain.mine(2)
  expect(chain.balance(bob.address, null)).toBe(0n)
  chain.feePerMove = FEE
  chain.mine()
  expect(chain.balance(bob.address, null)).toBe(5n)
})

it('a transaction that reverts moves nothing and still costs its fee and nonce', () => {
  const chain = richChain()
  const before = chain.balance(alice.address, null)
  chain.blocked.add(bob.address)
  const hash = submit(chain, payment(0n, 5n))
  chain.mine()
  expect(chain.find(hash)?.landed.reverted).toBe(true)
  expect(chain.balance(bob.address, null)).toBe(0n)
  expect(chain.balance(alice.address, null)).toBe(before - FEE)
  expect(chain.nonce(alice.address)).toBe(1n)
})

it('all moves of a transaction revert together if one of them is not covered', () => {
  const chain = richChain()
  const [good] = payment(0n, 5n).moves
  if (!good) throw new Error('a payment has a move')
  const hash = submit(chain, { ...payment(0n, 5n, 2n * FEE), moves: [good, { ...good, units: 10n ** 30n }] })
  chain.mine()
  expect(chain.find(hash)?.landed.reverted).toBe(true)
  expect(chain.balance(bob.address, null)).toBe(0n)
})

it('a reorg reverts exactly what its blocks did, and not what was minted outside them', () => {
  const chain = richChain()
  const before = chain.balance(alice.address, null)
  const hash = submit(chain, payment(0n, 5n))
  chain.mine()
  chain.mint(bob.address, null, 100n)
  chain.reorg(1)
  expect(chain.find(hash)).toBeUndefined()
  expect(chain.usedBy(alice.address, 0n)).toBeUndefined()
  expect(chain.balance(alice.address, null)).toBe(before)
  expect(chain.balance(bob.address, null)).toBe(100n)
  expect(chain.nonce(alice.address)).toBe(0n)
  chain.mine()
  expect(chain.balance(bob.address, null), 'it was dropped, not returned').toBe(100n)
})

it('a reorg that returns its transactions lets them land again', () => {
  const chain = richChain()
  const hashes = [submit(chain, payment(0n, 5n)), submit(chain, payment(1n, 7n))]
  chain.mine()
  chain.reorg(1, 'returned')
  expect(chain.mempool.map(({ hash }) => hash)).toEqual(hashes)
  chain.mine()
  expect(chain.balance(bob.address, null)).toBe(12n)
})

function richChain(): SimulatedChain {
  const chain = createSimulatedChain({ network: 'SIMULATED_TEST', feePerMove: FEE })
  chain.mint(alice.address, null, 10n ** 20n)
  return chain
}

function payment(nonce: bigint, units: bigint, fee = FEE): Transaction {
  const moves = [{ from: alice.address, to: bob.address, contract: null, units }]
  return { network: 'SIMULATED_TEST', account: alice.address, nonce, fee, memo: null, moves }
}

function submit(chain: SimulatedChain, transaction: Transaction, account: TestAccount = alice): string {
  expect(chain.submit(signedBy(transaction, account))).toBe('accepted')
  return hashOf(transaction)
}
