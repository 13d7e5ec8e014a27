/** The status page before anything is known, and where there is no such swap. */
import { shell, status as text } from '../../text/en.ts'

export function Unknown() {
  return (
    <div class="card stack">
      <h1>{text.unknownId}</h1>
      <p>
        <a class="button" href="/explorer">
          {text.search}
        </a>
      </p>
    </div>
  )
}

export function Loading() {
  return (
    <div class="status-page" aria-busy="true">
      <section class="card stack">
        <h1 class="skeleton">
          <span class="out-of-sight">{shell.loading}</span>
        </h1>
        <span class="skeleton" />
        <span class="skeleton tall" />
      </section>
    </div>
  )
}
