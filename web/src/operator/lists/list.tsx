/** A list on a console page: its filters, its rows, and the actions of each row. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { operator as text } from '../../text/en/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ActionButton } from '../actions/button.tsx'
import { useChoices } from '../actions/choices.ts'
import { Input } from '../actions/input.tsx'
import { CallError, look, type Told } from '../shell/calls.ts'
import { csvOf, download } from './export.ts'
import type { Action, Field, List, Started } from './lists.ts'
import { actionsFor, applies, MOST_INLINE } from './row-actions.ts'
import { Table } from './table.tsx'

interface ListProps {
  list: List
  turn: number
  onStart: (started: Started) => void
}

export function ListCard({ list, turn, onStart }: ListProps) {
  const { route } = useLocation()
  const told = useSignal<Told | null>(null)
  const problem = useSignal<Error | null>(null)
  const chosen = useSignal<Record<string, string>>(firstChoices(list))
  const isReady = (list.filters ?? []).every(({ name }) => chosen.value[name] !== undefined)
  useEffect(() => {
    if (!isReady) return
    const wanted = Object.entries(chosen.value).filter(([, value]) => value !== '')
    look(list.noun, list.verb, { ...list.values, ...Object.fromEntries(wanted) })
      .then((answer) => {
        told.value = answer
        problem.value = null
      })
      .catch((error: Error) => {
        told.value = null
        problem.value = error
      })
  }, [turn, chosen.value, isReady])
  const start = (action: Action, heads: string[] = [], row: string[] = []) => {
    const facts = Object.fromEntries(heads.map((head, column) => [head, row[column] ?? '']))
    const values = Object.entries(action.from ?? {}).map(([option, head]) => [option, facts[head] ?? ''])
    if (action.page && row.length > 0) return route(action.page(Object.fromEntries(values)))
    const named = action.named && row.length > 0 ? (facts[action.named] ?? '') : null
    onStart({ action, values: Object.fromEntries(values), named, facts })
  }
  const isEmpty = told.value?.tables.length === 0
  return (
    <section class="card stack">
      <div class="row between">
        <h2>{text.titles[`${list.noun} ${list.verb}`]}</h2>
        <span class="row">
          {list.isExported && told.value?.tables[0] && (
            <Button look="small" onClick={() => exportTable(list, told.value)}>
              {text.export}
            </Button>
          )}
          {(list.free ?? [])
            .filter(({ verb }) => !(isEmpty && NEEDS_ROWS.includes(verb)))
            .map((action) => (
              <ActionButton key={action.verb} action={action} onClick={() => start(action)} />
            ))}
        </span>
      </div>
      {list.filters && (
        <div class="row filters">
          {list.filters.map((field) => (
            <Filter
              key={field.name}
              field={field}
              value={chosen.value[field.name]}
              onChoose={(value) => {
                chosen.value = { ...chosen.value, [field.name]: value }
              }}
            />
          ))}
        </div>
      )}
      {/* A rejected query is shown as information: for example, a network without a Depository. */}
      {problem.value && <Notice tone={isAnswer(problem.value) ? 'info' : 'bad'}>{problem.value.message}</Notice>}
      {told.value === null && problem.value === null && <span class="skeleton loading" />}
      {isEmpty && <p class="soft">{text.empty[`${list.noun} ${list.verb}`] ?? text.nothing}</p>}
      {told.value?.tables.map(({ heads, rows, total }) => (
        <Table
          key={heads.join()}
          heads={heads}
          rows={rows}
          total={total}
          units={told.value?.units ?? {}}
          isInline={actionsFor(list, heads).length <= MOST_INLINE}
        >
          {actionsFor(list, heads).length > 0
            ? (row) =>
                actionsFor(list, heads)
                  .filter(({ when }) => applies(when, heads, row))
                  .map((action) => (
                    <ActionButton
                      key={`${action.noun} ${action.verb}`}
                      action={action}
                      asker={action.notBy === undefined ? undefined : row[heads.indexOf(action.notBy)]}
                      onClick={() => start(action, heads, row)}
                    />
                  ))
            : undefined}
        </Table>
      ))}
    </section>
  )
}

/** Actions that need a row to act on: an empty list does not offer them. */
const NEEDS_ROWS = ['retry', 'rotate', 'revoke', 'replay', 'payouts']

function Filter({
  field,
  value,
  onChoose,
}: {
  field: Field
  value: string | undefined
  onChoose: (value: string) => void
}) {
  const choices = useChoices(field.options)
  const [first] = choices ?? []
  // The choices of a filter load slightly later than the list.
  useEffect(() => {
    if (value === undefined && first !== undefined) onChoose(first)
  }, [first])
  return <Input name={field.name} label={text.fields[field.name] ?? field.name} options={choices} onChoose={onChoose} />
}

function firstChoices({ filters = [] }: List): Record<string, string> {
  const fixed = filters.flatMap(({ name, options }) => (Array.isArray(options) ? [[name, options[0] ?? '']] : []))
  return Object.fromEntries(fixed)
}

function exportTable({ noun, verb }: List, told: Told | null): void {
  const [table] = told?.tables ?? []
  if (table) download(`${noun}-${verb}.csv`, csvOf(table.heads, table.rows))
}

function isAnswer(error: Error): boolean {
  return error instanceof CallError && error.code === 'NOT_VALID'
}
