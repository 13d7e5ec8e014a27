/** The line above every page of a service whose money is worth nothing. */
import { Icon } from '../ui/icon.tsx'

export function SandboxBar({ says }: { says: string }) {
  return (
    <p class="sandbox-bar">
      <Icon name="info" />
      {says}
    </p>
  )
}
