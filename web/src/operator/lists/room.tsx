/** A console page: its lists, and the actions of each row. All content is text from the service. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { ActSheet, keyOf } from '../actions/act.tsx'
import { draftHere } from '../actions/draft.ts'
import { LowWallets } from '../overview/tiles.tsx'
import { overview } from '../shell/alerts.ts'
import { AllSwaps } from '../swaps/all-swaps.tsx'
import { ListCard } from './list.tsx'
import type { Started } from './lists.ts'
import { ROOMS } from './offices.ts'

export function RoomPage({ name }: { name: keyof typeof text.rooms }) {
  const started = useSignal<Started | null>(draftHere())
  const turn = useSignal(0)
  useEffect(() => {
    document.title = `${text.rooms[name]} · ${shell.name}`
  }, [name])
  const close = (isDone: boolean, next: Started | null) => {
    started.value = next
    if (isDone) turn.value += 1
  }
  return (
    <div class="stack">
      <div class="page-head">
        <h1>{text.rooms[name]}</h1>
        <Button look="small" onClick={() => (turn.value += 1)}>
          {text.refresh}
        </Button>
      </div>
      {name === 'swaps' && <AllSwaps turn={turn.value} />}
      {name === 'wallets' && overview.value && <LowWallets now={overview.value} />}
      {(ROOMS[name] ?? []).map((list) => (
        <ListCard
          key={`${list.noun} ${list.verb}`}
          list={list}
          turn={turn.value}
          onStart={(wanted) => {
            started.value = wanted
          }}
        />
      ))}
      {started.value && <ActSheet key={keyOf(started.value)} started={started.value} onClose={close} />}
    </div>
  )
}
