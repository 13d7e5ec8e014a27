/** A button for an action. If the role is too low or another person must act, it is shown disabled with the reason. */
import { operator as text } from '../../text/en/operator.ts'
import { Button } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon.tsx'
import type { Action } from '../lists/lists.ts'
import { ROLES } from '../lists/rooms.ts'
import { seat } from '../shell/calls.ts'

interface ActionButtonProps {
  action: Action
  label?: string
  look?: 'small' | 'danger'
  icon?: IconName
  /** The person who requested it and so may not confirm it. */
  asker?: string | undefined
  onClick: () => void
}

export function ActionButton({ action, label, look = 'small', icon, asker, onClick }: ActionButtonProps) {
  const roles: readonly string[] = ROLES
  const has = roles.indexOf(seat.value?.role ?? '')
  const isOwn = asker !== undefined && asker === seat.value?.name
  const hasRole = has >= roles.indexOf(action.role)
  const why = !hasRole ? text.needsRole(action.role) : isOwn ? text.needsAnother : undefined
  return (
    <Button look={look} {...(icon ? { icon } : {})} disabled={why !== undefined} title={why} onClick={onClick}>
      {label ?? text.actions[`${action.noun} ${action.verb}`] ?? action.verb}
    </Button>
  )
}
