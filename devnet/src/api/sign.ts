/**
 * Signs as a test account's wallet would: the typed data of a deposit action, or a plain text such as a refund address.
 */
import { z } from 'zod'
import { accountOf, byChain, type Place, wrong } from './world.ts'

export const SignBody = z.strictObject({
  network: z.string().min(1).max(128),
  account: z.int().min(0).max(1_000).default(0),
  text: z.string().min(1).max(10_000).optional(),
  typed_data: z.record(z.string(), z.unknown()).optional(),
})

export async function signAs(place: Place, { account: at, text, typed_data: typed }: z.infer<typeof SignBody>) {
  const { devnet, network } = place
  const account = accountOf(place, at)
  if ((text === undefined) === (typed === undefined)) throw wrong('text', 'or typed_data: one of them is needed')
  const signing = typed ? devnet.sign?.(account, typed) : devnet.signText?.(account, text ?? '')
  if (!signing) throw wrong('network', `the test accounts of ${network.name} sign no such thing`)
  return { address: account.address, signature: await byChain(signing) }
}
