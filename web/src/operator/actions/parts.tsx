/** The parts of an action's sheet: its subject, its fields, its effect, and its result. */
import { effectOn } from '../../text/en/effects.ts'
import { operator as text } from '../../text/en/operator.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Action, Field } from '../lists/lists.ts'
import { Table } from '../lists/table.tsx'
import { wordFor } from '../lists/words.ts'
import { networkName } from '../overview/names.ts'
import type { Told } from '../shell/calls.ts'
import { useChoices } from './choices.ts'
import { Input } from './input.tsx'

export function Given({ values }: { values: Record<string, string> }) {
  return (
    <dl class="pairs">
      {Object.entries(values).map(([name, value]) => (
        <div key={name} class="row between">
          <dt>{text.heads[name] ?? labelOf(name)}</dt>
          <dd class="mono cell">{wordFor(name, value)}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Asked({ field: { name, options, optional = false, long = false, flag = false } }: { field: Field }) {
  const choices = useChoices(options)
  return <Input name={name} label={labelOf(name)} options={choices} optional={optional} long={long} flag={flag} />
}

const labelOf = (name: string) => text.fields[name] ?? name

/** The effect in terms of this row if possible; confirming a request has the effect of the requested command. */
export function effectOf({ noun, verb, effectOf: column }: Action, facts: Record<string, string>): string {
  if (column !== undefined && verb === 'confirm') return text.effect(facts[column] ?? '')
  const named = {
    ...facts,
    ...(facts.network && { network: networkName(facts.network) }),
    ...(facts.scope && { scope: wordFor('scope', facts.scope) }),
  }
  return effectOn(`${noun} ${verb}`, named) ?? text.effect(`${noun} ${verb}`)
}

export function Outcome({ told, isRead }: { told: Told; isRead: boolean }) {
  return (
    <>
      {!isRead && told.asked === null && <Notice tone="good">{text.done}</Notice>}
      {told.asked !== null && <Notice tone="info">{text.askedFor}</Notice>}
      {told.lines.length > 0 && told.asked === null && <pre class="code">{told.lines.join('\n')}</pre>}
      {told.tables.map(({ heads, rows }) => (
        <Table key={heads.join()} heads={heads} rows={rows} units={told.units} />
      ))}
    </>
  )
}
