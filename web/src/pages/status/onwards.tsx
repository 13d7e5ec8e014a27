/** What to do next: swap again or back, share or print the receipt, be told when it is done. */
import type { SwapDetails } from '@causeway/sdk/light'
import { shell, status as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { backLink, routeLink } from './route-link.ts'
import { progress } from './state.ts'
import type { Stage } from './story.ts'
import { TellMe } from './tell-me.tsx'

interface OnwardsProps {
  details: SwapDetails
  stage: Stage
  heading: string
}

export function Onwards({ details: { swap }, stage, heading }: OnwardsProps) {
  const isDone = stage === 'done'
  // One main button per page: giving a refund address comes first.
  const { owed = 0, needs_address: needs = false } = progress.value?.refund ?? {}
  const asksAddress = owed > 0 && needs
  const isOver = isDone || stage === 'expired' || stage === 'failed' || stage === 'returned'
  if (!isOver)
    return (
      <div class="acts">
        <TellMe stage={stage} heading={heading} />
      </div>
    )
  return (
    <div class="acts">
      <a class={asksAddress ? 'button' : 'button primary'} href={routeLink(swap)}>
        {isDone ? text.another : text.again}
      </a>
      {isDone && (
        <a class="button" href={backLink(swap)}>
          <Icon name="back" />
          {text.swapBack}
        </a>
      )}
      {isDone && (
        <span class="only-desktop">
          <Button icon="print" onClick={() => print()}>
            {text.print}
          </Button>
        </span>
      )}
      {(isDone || stage === 'returned') && <Share />}
    </div>
  )
}

/** The system's share sheet where there is one, otherwise the link is copied. */
function Share() {
  if (!('share' in navigator))
    return <Copy text={location.href} label={text.shareReceipt} done={shell.copied} look="line" icon="share" />
  const share = () => navigator.share({ url: location.href, title: document.title }).catch(() => undefined)
  return (
    <Button icon="share" onClick={() => void share()}>
      {text.shareReceipt}
    </Button>
  )
}
