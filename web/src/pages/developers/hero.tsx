/** The top of the landing page: a headline, the first steps, and a sample in tabs. */
import { useSignal } from '@preact/signals'
import { site } from '../../api/client.ts'
import { shell, developers as text } from '../../text/texts.ts'
import { coloured } from '../../ui/code.tsx'
import { Copy } from '../../ui/copy.tsx'
import { asCurl, type Call, run } from './calls.ts'
import { asTypeScript, type Route } from './sample.ts'

const INSTALL = 'npm install @causeway/sdk'
const TABS = ['typescript', 'curl', 'answer'] as const
type Tab = (typeof TABS)[number]
/** A long response can be scrolled by keyboard too. */
const BY_KEYBOARD = { tabIndex: 0 }

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

/** A code sample, or the response to its first call. Its height is fixed, so that the page does not jump. */
function Sample({ route, calls }: { route: Route | null; calls: readonly Call[] }) {
  const tab = useSignal<Tab>('typescript')
  const answer = useSignal('')
  const [first] = calls
  const open = (next: Tab) => {
    tab.value = next
    if (next !== 'answer' || !first || answer.value !== '') return
    answer.value = text.running
    void run(first)
      .catch(String)
      .then((told) => (answer.value = told))
  }
  const shown = !route
    ? ''
    : {
        typescript: () => asTypeScript(route, location.origin),
        curl: () => calls.map(asCurl).join('\n\n'),
        answer: () => answer.value,
      }[tab.value]()
  return (
    <div class="code sample">
      <div class="code-head">
        <div role="tablist">
          {TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-controls="sample"
              aria-selected={tab.value === name}
              onClick={() => open(name)}
            >
              {text[name]}
            </button>
          ))}
        </div>
        <Copy
          look="plain small"
          text={shown}
          label={shell.copy}
          done={shell.copied}
          name={shell.copyOf(tab.value === 'answer' ? text.answer : text.quickStart)}
        />
      </div>
      <pre id="sample" role="tabpanel" aria-labelledby={`tab-${tab.value}`} {...BY_KEYBOARD}>
        {coloured(shown)}
      </pre>
    </div>
  )
}
