/** A gasless deposit: the wallet signs exactly what the service signed, and the service broadcasts it. */
import { WalletProblem } from '@causeway/core/wallet'
import type { Authorization, SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import { problemOf } from '../../../api/problems.ts'
import { formatAmount, shortAddress } from '../../../money/format.ts'
import { wallet as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { markSent } from '../../../wallet/guard.ts'
import { WalletButton } from '../../../wallet/menu.tsx'
import { type Session, sessionFor } from '../../../wallet/session.ts'
import { check, verdict } from '../state.ts'

export function GaslessDeposit({ details }: { details: SwapDetails }) {
  const { swap, quote } = details
  const network = swap.source_network
  const session = sessionFor(network)
  const standing = useSignal<Authorization['status'] | null>(null)
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const amount = formatAmount(quote.requested_amount ?? 0, swap.source_token.symbol)
  const owner = swap.source_address ?? ''
  useEffect(() => {
    if (standing.value !== null && SENT.includes(standing.value)) markSent(swap.id, '', null)
  }, [standing.value])
  // A signature from another tab, or from before a reload, still counts.
  useEffect(() => {
    void client
      .authorization(swap.id)
      .then(({ status }) => (standing.value = status))
      .catch(() => undefined)
  }, [swap.id])
  if (standing.value !== null && SENT.includes(standing.value))
    return <Notice tone="good">{text.signatureTaken}</Notice>
  if (!session) return <WalletButton network={network} look="primary wide" />

  const { wallet, account } = session
  const isOther = account.address.toLowerCase() !== owner.toLowerCase()
  const sign = async () => {
    isBusy.value = true
    problem.value = null
    try {
      const { status } = await client.authorize(swap.id, {
        signature: await signedNow(swap.id, session),
        signer_address: account.address,
      })
      standing.value = status
    } catch (error) {
      problem.value = error instanceof WalletProblem ? refusal(error, wallet.name) : problemOf(error, 'once').text
    }
    isBusy.value = false
  }
  const refused: Partial<Record<Authorization['status'], string>> = {
    insufficient: text.topUp,
    rejected: text.notSignedBy(shortAddress(owner)),
    expired: text.tooLate,
  }
  const said = problem.value ?? (standing.value && refused[standing.value]) ?? null
  return (
    <div class="stack tight">
      {isBusy.value ? <Notice>{text.signIn(wallet.name, amount)}</Notice> : <p>{text.signsFree}</p>}
      <div role="alert">
        {isOther && (
          <Notice tone="warn">{text.account(wallet.name, shortAddress(account.address), shortAddress(owner))}</Notice>
        )}
        {said && !isBusy.value && <Notice tone="warn">{said}</Notice>}
      </div>
      <Button look="primary wide" disabled={isBusy.value || isOther} onClick={() => void sign()}>
        {text.signWith(amount, wallet.name)}
      </Button>
      <div class="row">
        <WalletButton network={network} />
      </div>
    </div>
  )
}

/** States in which the service has the signature and sends the deposit. */
const SENT: readonly Authorization['status'][] = ['initiated', 'published', 'completed']

/** The text to sign changes with time, so it is fetched and verified again right before signing. */
async function signedNow(swapId: string, { wallet, account }: Session): Promise<string> {
  await check(swapId)
  const judged = verdict.value
  const typed = judged?.state === 'verified' ? judged.actions[0]?.typed_data : null
  if (!typed || !wallet.signTypedData) throw new WalletProblem('unsupported')
  return wallet.signTypedData(typed, account)
}

function refusal({ code }: WalletProblem, name: string): string {
  if (code === 'rejected') return text.rejected
  if (code === 'locked') return text.locked(name)
  if (code === 'busy') return text.busy(name)
  return text.unsupported(name)
}
