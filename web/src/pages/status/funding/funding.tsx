/** How to pay, showing only what the service signed: from a wallet here, or to a deposit address from anywhere. */
import { plainNumber, type SwapDetails } from '@causeway/sdk/light'
import { restOf } from '../../../api/verified.ts'
import { toUnits } from '../../../money/parse-amount.ts'
import { exchanging, status as text } from '../../../text/texts.ts'
import { Notice } from '../../../ui/notice.tsx'
import { verdict } from '../state.ts'
import { userExchangeOf } from '../steps/legs.ts'
import { DepositAddress } from './deposit-address.tsx'
import { GaslessDeposit } from './gasless-deposit.tsx'
import { Marked, WalletDeposit } from './wallet-deposit.tsx'

/** How to pay. In the stage `sent` nothing more is to be sent, unless the wallet shows no transaction. */
export function Funding({ details, stage }: { details: SwapDetails; stage: 'waiting' | 'sent' }) {
  if (stage === 'sent') return <Marked details={details} />
  const judged = verdict.value
  if (judged === null) return <p class="skeleton tall checking soft small">{text.checking}</p>
  if (judged.state === 'refused')
    return (
      <div role="alert">
        <Notice tone="bad">{text.badSignature(judged.code)}</Notice>
      </div>
    )
  if (judged.state === 'new_key')
    return (
      <div role="alert">
        <Notice tone="bad">{text.newKey(judged.fingerprint)}</Notice>
      </div>
    )
  if (userExchangeOf(details.swap)) return <Notice tone="info">{exchanging.elsewhere}</Notice>
  const [action] = judged.actions
  if (action?.type === 'sign') return <GaslessDeposit details={details} />
  if (action?.type === 'manual_transfer')
    return <DepositAddress action={restOf(action, cameSoFar(details))} details={details} />
  return <WalletDeposit action={action ?? null} details={details} />
}

/** Received amounts are truncated, so the remaining amount is never too small. A slight excess does no harm. */
function cameSoFar({ swap }: SwapDetails): bigint {
  const inputs = swap.transactions.filter(({ type }) => type === 'input')
  return inputs.reduce((sum, { amount, token }) => sum + (toUnits(plainNumber(amount), token.decimals) ?? 0n), 0n)
}
