/** A message with text and an icon: never by colour alone. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'plain' | 'info' | 'good' | 'warn' | 'bad'
const ICONS: Record<Tone, IconName> = { plain: 'info', info: 'info', good: 'check', warn: 'warn', bad: 'warn' }

export function Notice({ tone = 'info', id, children }: { tone?: Tone; id?: string; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} {...(id ? { id } : {})}>
      <Icon name={ICONS[tone]} />
      <div class="row between">{children}</div>
    </div>
  )
}

interface BadgeProps {
  tone: Tone | 'quiet' | 'accent'
  icon?: IconName
  children: ComponentChildren
}

export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
