/** The status page while loading, and for an unknown swap. */
import { isOnline } from '../../api/online.ts'
import { shell, status as text } from '../../text/texts.ts'
import { Notice } from '../../ui/notice.tsx'

export function Unknown() {
  return (
    <div class="card main-card">
      <h1>{text.unknownId}</h1>
      <p>
        <a class="button" href="/explorer">
          {text.search}
        </a>
      </p>
    </div>
  )
}

/** `isSilent`: the service has not answered yet. */
export function Loading({ isSilent }: { isSilent: boolean }) {
  return (
    <div class="status-page" aria-busy="true">
      <section class="card main-card">
        <h1 class="skeleton">
          <span class="out-of-sight">{shell.loading}</span>
        </h1>
        <div role="alert">{isSilent && isOnline.value && <Notice tone="warn">{shell.noAnswer}</Notice>}</div>
        <span class="skeleton" />
        <span class="skeleton tall" />
      </section>
      <aside class="card aside">
        <span class="skeleton tall" />
      </aside>
    </div>
  )
}
