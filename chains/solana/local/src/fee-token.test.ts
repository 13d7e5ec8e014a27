/** Row 29: a Token-2022 mint that charges a fee per transfer. The received amount is credited, never the stated one. */
import type { Token } from '@causeway/core'
import { address, createNoopSigner, type Instruction } from '@solana/kit'
import { getAddMemoInstruction, LEGACY_MEMO_PROGRAM_ADDRESS_V1 } from '@solana-program/memo'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
} from '@solana-program/token'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { TOKEN_2022_PROGRAM } from '../../src/address.ts'
import type { Wallet } from '../../src/paying/keypair.ts'
import { tokenTransfer } from '../../src/paying/order.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import {
  draw,
  sendRaw,
  sendTogether,
  sightedAs,
  startChain,
  type TestChain,
  testNetwork,
  tokenOf,
  walletAt,
} from './testbed.ts'

/** A mint with the fee extension: the plain mint's size, a byte for the type, and the extension with its header. */
const MINT_BYTES = 165n + 1n + 4n + 108n
const ONE_PERCENT = [100, 0]
const NO_LIMIT = new Array(8).fill(0xff)
const PROGRAM = address(TOKEN_2022_PROGRAM)

let chain: TestChain
let user: Wallet
let mint: Wallet
beforeAll(async () => {
  chain = await startChain()
  user = await walletAt(chain.local, 0)
  mint = await walletFrom('mint with a fee')
  await makeMint()
})
afterAll(() => chain.local.stop())

it('a deposit is the amount after the fee, and its memo is accepted', async () => {
  const { adapter, token } = await opened()
  const memo = getAddMemoInstruction({ memo: '29' }, { programAddress: LEGACY_MEMO_PROGRAM_ADDRESS_V1 })
  const sightings = await sightedAs(chain, adapter, [user], [...(await transfer(chain.treasury, 1_000_000n)), memo])
  expect(sightings).toMatchObject([{ reference: 29n, refundableSender: user.address, amount: { units: 990_000n } }])
  expect((await adapter.balance(chain.treasury, token)).units).toBe(990_000n)
})

it('the deposit action asks for a transfer by the right program', async () => {
  const { adapter, token } = await opened()
  const before = (await adapter.balance(chain.treasury, token)).units
  const request = { token, units: 100_000n, receiver: chain.treasury, reference: 30n, sourceAddress: user.address }
  await chain.local.deposit(user, token, await adapter.depositAction(request))
  expect((await adapter.balance(chain.treasury, token)).units).toBe(before + 99_000n)
})

it('a sweep empties the address, but its account stays: the withheld fee is not ours to take', async () => {
  const { adapter, token } = await opened()
  const index = 5
  const source = (await adapter.depositAddresses?.derive(index)) ?? ''
  const sightings = await sightedAs(chain, adapter, [user], await transfer(source, 1_000_000n), source)
  expect(sightings).toMatchObject([{ to: source, reference: null, amount: { units: 990_000n } }])
  const order = { kind: 'sweep', account: chain.treasury, token, sources: [{ address: source, index }] } as const
  const { signed, slot } = await draw({ ...chain, adapter }, { ...order, sources: [...order.sources] })
  await sendRaw(chain.node, signed.bytes)
  expect(await adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)).toMatchObject({
    state: 'included',
  })
  expect((await adapter.balance(source, token)).units).toBe(0n)
})

/** The adapter with the mint among its tokens. */
async function opened() {
  const network = testNetwork({}, { FEE: mint.address })
  const settings = { token_2022: [mint.address] }
  const token: Token = tokenOf(network, 'FEE')
  return { adapter: await chain.open({ tokens: network.tokens, settings }), token }
}

async function transfer(to: string, units: bigint): Promise<Instruction[]> {
  const from = createNoopSigner(user.address)
  return tokenTransfer({ from, to, mint: mint.address, program: PROGRAM, units, decimals: 6, payer: from })
}

async function makeMint(): Promise<void> {
  const payer = createNoopSigner(user.address)
  const by = { programAddress: PROGRAM }
  const ata = address(await associatedAccount(user.address, mint.address, PROGRAM))
  await sendTogether(
    chain.node,
    [user, mint],
    [
      getCreateAccountInstruction({
        ...{ payer, newAccount: createNoopSigner(mint.address), lamports: 10_000_000n },
        ...{ space: MINT_BYTES, programAddress: PROGRAM },
      }),
      // TransferFeeExtension, its Initialize; no authorities; one percent without a limit.
      {
        ...by,
        accounts: [{ address: mint.address, role: 1 }],
        data: Uint8Array.from([26, 0, 0, 0, ...ONE_PERCENT, ...NO_LIMIT]),
      },
      getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: user.address }, by),
      getCreateAssociatedTokenIdempotentInstruction({
        ...{ payer, ata, owner: user.address, mint: mint.address, tokenProgram: PROGRAM },
      }),
      getMintToInstruction({ mint: mint.address, token: ata, mintAuthority: payer, amount: 10n ** 12n }, by),
    ],
  )
}
