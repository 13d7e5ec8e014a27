/** One polite live region for the whole page: the only place that announces changes to screen readers. */
import { signal } from '@preact/signals'

const said = signal('')

export function announce(text: string): void {
  said.value = text
}

export function LiveRegion() {
  return (
    <div class="out-of-sight" role="status" aria-live="polite">
      {said.value}
    </div>
  )
}
