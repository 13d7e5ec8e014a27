/** A message with text and an icon: never by colour alone. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'info' | 'good' | 'warn' | 'bad'
const ICONS: Record<Tone, IconName> = { info: 'info', good: 'check', warn: 'warn', bad: 'warn' }

export function Notice({ tone = 'info', id, children }: { tone?: Tone; id?: string; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} {...(id ? { id } : {})}>
      <Icon name={ICONS[tone]} />
      <div class="row between">{children}</div>
    </div>
  )
}

export function Badge({ tone, children }: { tone: Tone | 'quiet'; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}
