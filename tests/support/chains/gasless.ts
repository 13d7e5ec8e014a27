/** Gasless swaps as an owner and a wallet make them, on one network of a test. */
import type { Token } from '@causeway/core'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { unitsOf, type World } from '../processes/world.ts'
import { eventually } from '../runner/eventually.ts'
import { admin } from '../service/accounts.ts'
import type { WireSwap, WireTransaction } from '../service/client.ts'
import { releaseWords } from '../service/holds.ts'
import { gaslessOwner } from './evm.ts'

export const FROM = 'BASE_SEPOLIA'
export const TO = 'ETHEREUM_SEPOLIA'
/** The amount of every swap here, in whole tokens. */
export const AMOUNT = 40

export interface Status {
  status: string
  transaction: WireTransaction | null
}

export const route = (symbol: string) => ({
  source_network: FROM,
  source_token: symbol,
  destination_network: TO,
  destination_token: 'ETH',
})

export const unitsFor = (token: Token) => unitsOf(AMOUNT, token)

/** Signs the action's typed data, as a wallet does. */
export function signWith(secret: Hex, typedData: unknown): Promise<Hex> {
  const account = privateKeyToAccount(secret)
  return account.signTypedData(typedData as Parameters<typeof account.signTypedData>[0])
}

export function gaslessIn(world: World) {
  const path = ({ swap }: WireSwap) => `/api/v2/swaps/${swap.id}/authorize`
  const statusOf = async (swap: WireSwap) => (await world.client.get(path(swap))).data as Status | undefined
  return {
    statusOf,
    swapFor: (token: Token, owner: string, body: Record<string, unknown> = {}): Promise<WireSwap> =>
      world.client.create({
        ...route(token.symbol),
        destination_address: world.stranger(),
        source_address: owner,
        amount: AMOUNT,
        use_gasless: true,
        ...body,
      }),
    async authorize(swap: WireSwap, signature: Hex, signer: string) {
      const answer = await world.client.post(path(swap), { signature, signer_address: signer })
      return { ...answer, data: answer.data as Status | undefined }
    },
    reaches: (swap: WireSwap, status: string): Promise<Status> =>
      eventually(async () => {
        const found = await statusOf(swap)
        if (found?.status === status) return found
        throw new Error(`it is ${found?.status}`)
      }, `${status} of the authorization`),
    depositsFor: (swap: WireSwap) =>
      world.query<{ units: string; from_address: string | null; tx_hash: string }>(
        "select units, from_address, tx_hash from deposit where swap_id = $1 and state <> 'gone'",
        [swap.swap.id],
      ),
    /** An owner with just enough of the token and no gas. */
    richOwner: (token: Token) => gaslessOwner(world, token, unitsFor(token)),
    /** Prevents the treasury from sending while `work` runs. */
    async whileHalted(work: () => Promise<void>): Promise<void> {
      const services = world.sandbox.service?.services
      if (!services) throw new Error('the service is not there')
      const treasury = world.sandbox.treasuries[FROM] ?? ''
      await admin(services, 'wallet', 'halt', '--network', FROM, '--wallet', treasury, '--reason', 'test')
      await work()
      await admin(services, 'wallet', 'release', ...(await releaseWords(services.database, FROM, treasury)))
    },
  }
}
