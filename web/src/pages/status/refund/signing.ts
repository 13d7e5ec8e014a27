/** The proof of who sent a deposit: an address that was read, and a text that the sender's account signs. */
import { WalletProblem } from '@causeway/core/wallet'
import { refundAddressText, type SwapDetails } from '@causeway/sdk/light'
import { refunding as text, wallet as walletText } from '../../../text/texts.ts'
import { loadFamily } from '../../../wallet/families.ts'
import type { Session } from '../../../wallet/session.ts'

/** Null if it is not an address of this network. */
export async function readAddress(
  typed: string,
  network: SwapDetails['swap']['source_network'],
): Promise<string | null> {
  const read = (await loadFamily(network.type))?.readAddress(typed, network)
  if (!read) return typed.trim()
  return read.state === 'ok' ? read.address : null
}

/** The text is built here and not taken from a response, so that a user cannot be made to sign something else. */
export function signed(swapId: string, network: string, refundAddress: string, session: Session): Promise<string> {
  const { wallet, account } = session
  if (!wallet.signText) throw new WalletProblem('unsupported')
  return wallet.signText(refundAddressText({ swapId, network, refundAddress }), account)
}

export function refusal({ code }: WalletProblem, name: string): string {
  if (code === 'rejected') return text.declined
  if (code === 'locked') return walletText.locked(name)
  if (code === 'busy') return walletText.busy(name)
  if (code === 'wrong_account') return walletText.otherAccount(name)
  return text.cannotSign(name)
}

export function isSame(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}
