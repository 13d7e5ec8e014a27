/** The top of the landing page: a headline, the first steps, and a sample in tabs. */
import { useSignal } from '@preact/signals'
import { site } from '../../api/client.ts'
import { shell, developers as text } from '../../text/texts.ts'
import { coloured } from '../../ui/code.tsx'
import { Copy } from '../../ui/copy.tsx'
import { asCurl, type Call } from './calls.ts'
import { asTypeScript, type Route } from './sample.ts'

const INSTALL = 'npm install @causeway/sdk'

export function Hero({ route, calls, networks }: { route: Route | null; calls: readonly Call[]; networks: number }) {
  return (
    <section class="hero">
      <div class="stack">
        <h1>{text.heading}</h1>
        <p class="lead">{networks > 0 ? text.lead(networks) : text.leadPlain}</p>
        <div class="row">
          <a class="button primary" href="#quick-start" target="_self">
            {text.runQuickStart}
          </a>
          {site.value?.isSandbox && (
            <a class="button" href="/developers/sandbox">
              {text.openSandbox}
            </a>
          )}
        </div>
        <div class="install mono">
          <span class="soft" aria-hidden="true">
            $
          </span>
          <span>{INSTALL}</span>
          <Copy look="plain small" text={INSTALL} label={shell.copy} done={shell.copied} name={shell.copyOf(INSTALL)} />
        </div>
      </div>
      <Sample route={route} calls={calls} />
    </section>
  )
}

/** A code sample. Its height is fixed before the routes are known, so that the page does not jump. */
function Sample({ route, calls }: { route: Route | null; calls: readonly Call[] }) {
  const isCurl = useSignal(false)
  const tabs = [
    { name: text.typescript, isShown: !isCurl.value },
    { name: text.curl, isShown: isCurl.value },
  ]
  const shown = !route ? '' : isCurl.value ? calls.map(asCurl).join('\n\n') : asTypeScript(route, location.origin)
  return (
    <div class="code sample">
      <div class="code-head">
        <div role="tablist">
          {tabs.map(({ name, isShown }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-controls="sample"
              aria-selected={isShown}
              onClick={() => (isCurl.value = name === text.curl)}
            >
              {name}
            </button>
          ))}
        </div>
        <Copy
          look="plain small"
          text={shown}
          label={shell.copy}
          done={shell.copied}
          name={shell.copyOf(text.quickStart)}
        />
      </div>
      <pre id="sample" role="tabpanel" aria-labelledby={`tab-${isCurl.value ? text.curl : text.typescript}`}>
        {coloured(shown)}
      </pre>
    </div>
  )
}
