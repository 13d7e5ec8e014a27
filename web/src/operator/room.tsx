/** A room: its lists, and what can be done with each row. Everything is text as the service told it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shell, operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { ActSheet, type Started } from './act.tsx'
import { ActionButton } from './button.tsx'
import { look, type Told } from './calls.ts'
import { ROOMS } from './offices.ts'
import type { Action, List } from './rooms.ts'
import { Table } from './table.tsx'

export function RoomPage({ name }: { name: keyof typeof text.rooms }) {
  const started = useSignal<Started | null>(null)
  const turn = useSignal(0)
  useEffect(() => {
    document.title = `${text.rooms[name]} · ${shell.name}`
  }, [name])
  const close = (isDone: boolean) => {
    started.value = null
    if (isDone) turn.value += 1
  }
  return (
    <div class="stack">
      <div class="row between">
        <h1>{text.rooms[name]}</h1>
        <Button look="small" onClick={() => (turn.value += 1)}>
          {text.refresh}
        </Button>
      </div>
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
      {started.value && <ActSheet started={started.value} onClose={close} />}
    </div>
  )
}

interface ListProps {
  list: List
  turn: number
  onStart: (started: Started) => void
}

function ListCard({ list, turn, onStart }: ListProps) {
  const told = useSignal<Told | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    look(list.noun, list.verb, list.values)
      .then((answer) => {
        told.value = answer
        problem.value = null
      })
      .catch((error: Error) => (problem.value = error.message))
  }, [turn])
  const start = (action: Action, heads: string[] = [], row: string[] = []) => {
    const cell = (head: string) => row[heads.indexOf(head)] ?? ''
    const values = Object.entries(action.from ?? {}).map(([option, head]) => [option, cell(head)])
    const named = action.named && row.length > 0 ? cell(action.named) : null
    onStart({ action, values: Object.fromEntries(values), named })
  }
  return (
    <section class="card stack">
      <div class="row between">
        <h2>{text.titles[`${list.noun} ${list.verb}`]}</h2>
        <span class="row">
          {(list.free ?? []).map((action) => (
            <ActionButton key={action.verb} action={action} onClick={() => start(action)} />
          ))}
        </span>
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {told.value?.tables.length === 0 && <p class="soft">{text.nothing}</p>}
      {told.value?.tables.map(({ heads, rows }) => (
        <Table key={heads.join()} heads={heads} rows={rows}>
          {(row) =>
            (list.rows ?? []).map((action) => (
              <ActionButton
                key={`${action.noun} ${action.verb}`}
                action={action}
                onClick={() => start(action, heads, row)}
              />
            ))
          }
        </Table>
      ))}
    </section>
  )
}
