/**
 * The memo that a browser wallet is asked to write is the one that the service reads: this swap's reference, and no
 * other's.
 */
import type { Wallet, WalletAction } from '@causeway/core/wallet'
import { afterEach, expect, test } from 'vitest'
import { depositAction, referenceIn } from '../../src/depositing/deposit.ts'
import type { Output } from '../../src/transaction.ts'
import { family } from '../../wallet/src/index.ts'
import { memo as memoOutput } from './testbed.ts'

const place = globalThis as Record<string, unknown>
afterEach(() => {
  delete place.unisat
})

/** As text; and by a wallet that encodes anything that looks like hex as bytes. */
const WRITERS: [string, (memo: string) => Output][] = [
  ['text', (memo) => memoOutput(memo)],
  [
    'hex where it can',
    (memo) => {
      const bytes = Buffer.from(memo, 'hex')
      return memoOutput(bytes.toString('hex') === memo ? bytes : memo)
    },
  ],
]

async function writtenFor(reference: bigint): Promise<string> {
  let written = ''
  place.unisat = {
    requestAccounts: async () => ['bcrt1q'],
    async sendBitcoin(_to: string, _sats: number, { memo }: { memo: string }) {
      written = memo
      return 'hash'
    },
  }
  const request = { token: {} as never, units: 1_000n, receiver: 'bcrt1q', reference, sourceAddress: null }
  const { callData } = depositAction(request)
  const action = { to_address: 'bcrt1q', amount_in_base_units: '1000', call_data: callData } as WalletAction
  const wallets: Wallet[] = []
  family.discover?.((found) => void wallets.push(...found))
  const [wallet] = wallets
  const [step] = (await wallet?.steps(action, { address: 'bcrt1q', wallet: 'unisat' })) ?? []
  if (!wallet || !step) throw new Error('there is no such wallet')
  await wallet.send(step, { address: 'bcrt1q', wallet: 'unisat' })
  return written
}

test.each(WRITERS)('the number that a wallet writes as %s is the swap’s', async (_, write) => {
  for (const reference of [1n, 1_000_001n, 11_177_329n, 0x61_61_61n, 9_007_199_254_740_991n]) {
    expect(referenceIn([write(await writtenFor(reference))])).toBe(reference)
  }
})
