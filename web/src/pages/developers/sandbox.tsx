/** The sandbox page: its API keys, its accounts, a faucet, and outcomes on demand. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, client } from '../../api/client.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { formatAmount, shortAddress, visible } from '../../money/format.ts'
import { shell, sandbox as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type ApiKeys, Keys } from './keys.tsx'
import { force, OUTCOMES, type Outcome } from './outcomes.ts'
import { Webhooks } from './webhooks.tsx'
import './page.css'

interface Row {
  network: string
  name: string
  address: string
  token: string
}

export function SandboxPage() {
  const rows = useSignal<Row[]>([])
  const keys = useSignal<ApiKeys | null>(null)
  const isAbsent = useSignal(false)
  useTitle(text.title)
  useEffect(() => {
    void load()
      .then((found) => (rows.value = found))
      .catch(() => (isAbsent.value = true))
    void ask<{ api_keys: ApiKeys }>('/sandbox')
      .then(({ api_keys }) => (keys.value = api_keys))
      .catch(() => undefined)
  }, [])
  if (isAbsent.value)
    return (
      <div class="stack">
        <h1>{text.heading}</h1>
        <Notice>{text.noSandbox}</Notice>
      </div>
    )
  return (
    <div class="stack narrow">
      <h1>{text.heading}</h1>
      <p class="soft">{text.lead}</p>
      {keys.value && <Keys keys={keys.value} />}
      <section class="card stack">
        <h2>{text.outcomes}</h2>
        <p class="soft small">{text.outcomesNote}</p>
        <div class="outcomes">
          {OUTCOMES.map((outcome) => (
            <Forced key={outcome.name} outcome={outcome} />
          ))}
        </div>
      </section>
      {keys.value && <Webhooks apiKey={keys.value.public} />}
      <section class="card stack">
        <h2>{text.accounts}</h2>
        <p class="soft small">{text.accountsNote}</p>
        <div class="scroll sandbox-accounts">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text.network}</th>
                <th scope="col">{text.address}</th>
                <th scope="col">{text.fund}</th>
              </tr>
            </thead>
            <tbody>
              {rows.value.map((row) => (
                <AccountRow key={row.network} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </div>
  )
}

function Forced({ outcome }: { outcome: Outcome }) {
  const id = useSignal<string | null>(null)
  const problem = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const start = async () => {
    isBusy.value = true
    problem.value = null
    try {
      id.value = await force(outcome)
    } catch (error) {
      problem.value = problemOf(error, 'once').text
    }
    isBusy.value = false
  }
  return (
    <div class="outcome">
      <Button disabled={isBusy.value} onClick={() => void start()}>
        {outcome.name}
      </Button>
      <span class="soft small">{problem.value ?? outcome.note}</span>
      {id.value && <a href={`/swap/${id.value}`}>{text.open}</a>}
    </div>
  )
}

function AccountRow({ row: { network, name, address, token } }: { row: Row }) {
  const told = useSignal<string | null>(null)
  const fund = async () => {
    const held = await ask<{ amount: number }>('/sandbox/fund', { network, token, address, amount: '10' })
    told.value = text.funded(formatAmount(held.amount, token))
  }
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span class="row">
          <span class="mono">{shortAddress(address)}</span>
          <Copy text={address} label={shell.copy} done={shell.copied} name={shell.copyOf(network)} />
        </span>
      </td>
      <td>
        <span class="row">
          <Button look="small" onClick={() => void fund().catch(() => undefined)}>
            {`+10 ${token}`}
            <span class="out-of-sight">, {network}</span>
          </Button>
          <span class="soft small" aria-live="polite">
            {told.value}
          </span>
        </span>
      </td>
    </tr>
  )
}

async function load(): Promise<Row[]> {
  const [accounts, networks] = await Promise.all([
    ask<{ network: string; accounts: { address: string }[] }[]>('/sandbox/accounts'),
    client.networks(),
  ])
  return accounts.flatMap(({ network, accounts: [first] }) => {
    const known = networks.find(({ name }) => name === network)
    if (!first || !known) return []
    return [{ network, name: visible(known.display_name), address: first.address, token: known.token.symbol }]
  })
}
