/** A button for an act. Beyond one's role it is shown, disabled, and says which role it needs. */
import { operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { seat } from './calls.ts'
import { type Action, ROLES } from './rooms.ts'

export function ActionButton({ action, label, onClick }: { action: Action; label?: string; onClick: () => void }) {
  const roles: readonly string[] = ROLES
  const has = roles.indexOf(seat.value?.role ?? '')
  const may = has >= roles.indexOf(action.role)
  return (
    <Button look="small" disabled={!may} title={may ? undefined : text.needsRole(action.role)} onClick={onClick}>
      {label ?? text.actions[`${action.noun} ${action.verb}`] ?? action.verb}
    </Button>
  )
}
