/** The status page while loading, and for an unknown swap. */
import { isOnline } from '../../api/online.ts'
import { shell, status as text } from '../../text/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'

export function Unknown() {
  return (
    <div class="card main-card unknown">
      <h1>{text.unknownId}</h1>
      <p class="soft">{text.unknownText}</p>
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
        <div class="headline">
          <span class="seal">
            <Icon name="spinner" spins />
          </span>
          <div>
            <h1>{text.loading}</h1>
            <p>{'\u00a0'}</p>
          </div>
        </div>
        <div role="alert">{isSilent && isOnline.value && <Notice tone="warn">{shell.noAnswer}</Notice>}</div>
        <span class="skeleton tall" />
        <span class="skeleton" />
      </section>
      <aside class="card aside">
        <span class="skeleton tall" />
      </aside>
    </div>
  )
}
