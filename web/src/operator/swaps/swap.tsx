/** One swap: its status, deposits and payouts, signatures, ledger postings, and operators' notes. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { visible } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ActSheet, keyOf } from '../actions/act.tsx'
import { ActionButton } from '../actions/button.tsx'
import { draftHere } from '../actions/draft.ts'
import type { Action, Started } from '../lists/lists.ts'
import { NOTE, REFUND } from '../lists/rooms.ts'
import { Table } from '../lists/table.tsx'
import { shortened, wordFor } from '../lists/words.ts'
import { look, type Told } from '../shell/calls.ts'
import { type ConsoleRow, loadSwaps } from '../shell/reports.ts'
import { Exchanges } from './exchanges.tsx'

/** The command line puts the label of a line into its first columns. */
const NAME_WIDTH = 15

export function SwapPage({ id = '' }: { id?: string }) {
  const told = useSignal<Told | null>(null)
  const row = useSignal<ConsoleRow | null>(null)
  const problem = useSignal<string | null>(null)
  const started = useSignal<Started | null>(draftHere())
  const turn = useSignal(0)
  useEffect(() => {
    document.title = `${text.swapTitle} · ${shell.name}`
    look('swap', 'show', { id })
      .then((answer) => {
        told.value = answer
        problem.value = null
      })
      .catch((error: Error) => {
        problem.value = error.message
      })
    let isStopped = false
    loadSwaps({ search: id, statuses: '', network: '' }).then(
      (found) => {
        if (!isStopped) row.value = found.find(({ swap }) => swap.id === id) ?? null
      },
      // The page says already that the service does not answer.
      () => undefined,
    )
    return () => {
      isStopped = true
    }
  }, [id, turn.value])
  const start = (action: Action) => {
    started.value = { action, values: { id }, named: null }
  }
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{text.swapTitle}</h1>
        <span class="row">
          <ActionButton action={NOTE} onClick={() => start(NOTE)} />
          <ActionButton action={REFUND} onClick={() => start(REFUND)} />
          <Button look="small" onClick={() => (turn.value += 1)}>
            {text.refresh}
          </Button>
        </span>
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {told.value === null && problem.value === null && <span class="skeleton loading" />}
      {told.value && (
        <section class="card">
          <dl class="pairs facts">
            {told.value.lines.map((line) => {
              const name = line.slice(0, NAME_WIDTH).trim()
              return (
                <div key={line} class="row between">
                  <dt>{text.facts[name] ?? name}</dt>
                  <dd class="cell">{lineOf(name, line.slice(NAME_WIDTH + 1), row.value)}</dd>
                </div>
              )
            })}
          </dl>
        </section>
      )}
      {told.value && <Exchanges legs={row.value?.swap.legs ?? []} />}
      {told.value?.tables
        .filter(({ rows }) => rows.length > 0)
        .map(({ heads, rows }) => (
          <section key={heads.join()} class="card stack">
            <h2>{titleOf(heads)}</h2>
            <Table heads={heads} rows={rows} units={told.value?.units ?? {}} />
          </section>
        ))}
      {started.value && (
        <ActSheet
          started={started.value}
          key={keyOf(started.value)}
          onClose={(isDone, next) => {
            started.value = next
            if (isDone) turn.value += 1
          }}
        />
      )}
    </div>
  )
}

/** The command line's sentence about an end of the swap, in the words of these pages. */
function lineOf(name: string, value: string, row: ConsoleRow | null): string {
  if (name === 'status' && row?.hold) return text.holds[row.hold]
  // A depositor's exchange pays in another token than the swap was asked for.
  const isExchanged = row?.swap.legs.some((leg) => leg.made_by === 'depositor')
  if (row && name === 'from' && !isExchanged)
    return endOf(row.swap.source_token.symbol, row.swap.source_network.display_name, value)
  if (row && name === 'to')
    return endOf(row.swap.destination_token.symbol, row.swap.destination_network.display_name, value)
  // A status may have a reason behind it.
  if (name === 'status')
    return value
      .split(': ')
      .map((word) => wordFor('status', word))
      .join(' · ')
  const said = wordFor(WORDED.has(name) ? name : '', value)
  return said
    .replace(/ native, /, ' (native coin), ')
    .replace(TOKEN, (_, network: string, contract: string) => `${network} (token ${shortened(contract)}),`)
    .replace(', awaited at ', ' · to ')
    .replace(', paid to ', ' · to ')
}

/** The token and the network by their names, and the address, which stands last in the command line's text. */
function endOf(symbol: string, network: string, value: string): string {
  const address = value.split(' ').at(-1) ?? ''
  return text.endTo(text.tokenOn(visible(symbol), visible(network)), address)
}

/** A token's contract after the name of its network. */
const TOKEN = /^(.+?) (\S{30,}),/
const WORDED = new Set(['source address', 'refund address'])

/** The title of a table, found by its first column; the table of attempts has a column `slot`. */
function titleOf(heads: string[]): string {
  const key = heads.includes('slot') ? 'slot' : (heads[0] ?? '')
  return text.swapParts[key] ?? key
}
