/** Why a wallet did not send, as a sentence with a button that fixes it. */
import type { Wallet } from '@causeway/core/wallet'
import type { SwapDetails } from '@causeway/sdk/light'
import { wallet as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { Asking, Sent } from '../../../wallet/send.ts'
import { connect, type Session } from '../../../wallet/session.ts'

export type Asked = (Sent & { on?: string | null }) | { state: 'idle' } | ({ state: 'asking' } & Partial<Asking>)

interface SaidProps {
  asked: Asked
  session: Session
  network: string
  details: SwapDetails
  onSwitched: () => Promise<void>
}

export function Said({ asked, session, network, details, onSwitched }: SaidProps) {
  const { name, switchTo } = session.wallet
  const sentences: Partial<Record<Asked['state'], string>> = {
    rejected: text.rejected,
    locked: text.locked(name),
    busy: text.busy(name),
    funds: text.funds,
    gas: text.gas,
    unsupported: text.unsupported(name),
    wrong_account: text.otherAccount(name),
    wrong_network: elsewhere(asked, session.wallet, network),
    not_approved: text.notApproved,
  }
  const sentence = sentences[asked.state]
  if (!sentence) return null
  const other = () => connect(details.swap.source_network, session.wallet)
  const change = async () => {
    await session.wallet.switchTo?.(details.swap.source_network)
    await onSwitched()
  }
  return (
    <div role="alert">
      <Notice tone="warn">
        <span>{sentence}</span>
        {asked.state === 'wrong_network' && switchTo && (
          <Button look="small" onClick={() => void change().catch(() => undefined)}>
            {text.switch}
          </Button>
        )}
        {asked.state === 'wrong_account' && (
          <Button look="small" onClick={() => void other().catch(() => undefined)}>
            {text.useAccount}
          </Button>
        )}
      </Notice>
    </div>
  )
}

/**
 * The message for a wallet on another network: its network, the wanted one, and whether the user must switch by hand.
 */
function elsewhere(asked: Asked, { name, switchTo }: Wallet, network: string): string {
  const on = 'on' in asked ? asked.on : null
  const is = on ? text.network(name, on, network) : text.otherNetwork(name, network)
  return switchTo ? is : `${is} ${text.byHand(name)}`
}
