/** Owed money: the user gives a refund address, proven by a signature of the account that sent the deposit. */
import { WalletProblem } from '@causeway/core/wallet'
import type { SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { client } from '../../../api/client.ts'
import { problemOf } from '../../../api/problems.ts'
import { shortAddress, visible } from '../../../money/format.ts'
import { help, swap as swapText, refunding as text } from '../../../text/texts.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { WalletButton } from '../../../wallet/menu.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { senderOf } from '../logic.ts'
import { progress } from '../state.ts'
import type { Stage } from '../story.ts'
import { Contact } from './contact.tsx'
import { Kept } from './kept.tsx'
import { isSame, readAddress, refusal, signed } from './signing.ts'

interface OwedProps {
  details: SwapDetails
  stage: Stage
}

export function Owed({ details, stage }: OwedProps) {
  const told = progress.value?.refund
  if (!told || told.owed <= 0) return null
  return (
    <>
      {stage === 'owed' ? (
        !told.needs_address && <Notice tone="plain">{text.automatic}</Notice>
      ) : (
        <Kept details={details} stage={stage} {...told} />
      )}
      {told.needs_address && <Asked details={details} />}
    </>
  )
}

function Asked({ details: { swap } }: { details: SwapDetails }) {
  const typed = useSignal('')
  const problem = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const given = useSignal<string | null>(null)
  const network = swap.source_network
  const name = visible(network.display_name)
  const session = sessionFor(network)
  const sender = senderOf(swap)
  const own = session?.account.address ?? null
  const isOther = session !== null && sender !== null && !isSame(session.account.address, sender)
  if (given.value !== null) return <Notice tone="good">{text.taken(shortAddress(given.value))}</Notice>

  const paste = async () => {
    const read = await navigator.clipboard.readText().catch(() => null)
    if (read === null) problem.value = swapText.pasteFailed
    else typed.value = read.trim()
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!session) return
    isBusy.value = true
    problem.value = null
    try {
      const address = await readAddress(typed.value, network)
      if (address === null) problem.value = text.notAddress(name)
      else {
        const signature = await signed(swap.id, network.name, address, session)
        await client.giveRefundAddress(swap.id, { refund_address: address, signature })
        given.value = address
      }
    } catch (error) {
      problem.value =
        error instanceof WalletProblem ? refusal(error, session.wallet.name) : problemOf(error, 'once').text
    }
    isBusy.value = false
  }
  return (
    <form class="stack owed" onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for="refund-to">{text.address(name)}</label>
        <div class={problem.value === null ? 'input-line' : 'input-line wrong'}>
          <input
            id="refund-to"
            class="mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={problem.value !== null}
            aria-describedby="owed-says"
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
          {typed.value === '' ? (
            <Button look="plain" icon="paste" onClick={() => void paste()}>
              {swapText.paste}
            </Button>
          ) : (
            <IconButton name={swapText.clear} icon="close" onClick={() => (typed.value = '')} />
          )}
        </div>
        {own && typed.value === '' && (
          <div class="row">
            <Button look="small" icon="wallet" onClick={() => (typed.value = own)}>
              {text.use(shortAddress(own))}
            </Button>
          </div>
        )}
      </div>
      <div class="field">
        <span class="label">{text.prove}</span>
        <span class="help">{sender ? text.ask(shortAddress(sender)) : text.askPlain}</span>
      </div>
      <div id="owed-says" role="alert" class="stack tight">
        {isOther && (
          <Notice tone="warn">{text.otherSender(shortAddress(session.account.address), shortAddress(sender))}</Notice>
        )}
        {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      </div>
      {session && (
        <Button
          type="submit"
          look="primary wide"
          disabled={isBusy.value || isOther || typed.value.trim() === '' || !session.wallet.signText}
        >
          {isBusy.value ? text.signing(session.wallet.name) : typed.value.trim() === '' ? text.enterAddress : text.sign}
        </Button>
      )}
      <div class="row">
        <WalletButton network={network} look={session ? 'small' : 'primary wide'} />
      </div>
      <p class="closing soft small">
        <Icon name="info" />
        <span>
          {text.cannot} <Contact /> {help.note}
        </span>
      </p>
    </form>
  )
}
