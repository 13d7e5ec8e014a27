/** The builder of an embedded form: options, preview, and code to copy. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { useTitle } from '../../app/title.ts'
import { LANGUAGES } from '../../text/language.ts'
import { shell, embed as text } from '../../text/texts.ts'
import { Code } from '../../ui/code.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Choice, TokenChoice, Typed } from './fields.tsx'
import './page.css'

const THEMES = ['auto', 'light', 'dark'] as const
const LOCKABLE = ['from', 'to', 'amount', 'recipient'] as const
const OWN_ACCENT = '#0b6b5d'

export function EmbedPage() {
  const networks = useSignal<RouteNetwork[]>([])
  const [from, to, amount, recipient] = [useSignal(''), useSignal(''), useSignal(''), useSignal('')]
  const [theme, lang, accent, isLocked] = [useSignal(''), useSignal(''), useSignal(OWN_ACCENT), useSignal(false)]
  useTitle(text.title)
  useEffect(
    () =>
      keepTrying(() => client.sources(), {
        onFound: (found) => (networks.value = [...found].sort((a, b) => a.source_rank - b.source_rank)),
        onProblem: () => undefined,
      }),
    [],
  )
  const route = { from: from.value, to: to.value, amount: amount.value, recipient: recipient.value }
  const given = {
    ...route,
    lock: isLocked.value ? LOCKABLE.filter((name) => route[name] !== '').join(' ') : '',
    theme: theme.value,
    lang: lang.value,
    accent: accent.value === OWN_ACCENT ? '' : accent.value,
  }
  const attributes = Object.entries(given).filter(([, value]) => value !== '')
  const words = attributes.map(([name, value]) => ` ${name}="${value.replaceAll('"', '&quot;')}"`).join('')
  const code = `<script type="module" src="${location.origin}/embed.js"></script>\n<causeway-swap${words}></causeway-swap>`
  const languages = Object.entries(LANGUAGES).map(([value, name]) => ({ value, name }))
  const themes = THEMES.map((name) => ({ value: name === 'auto' ? '' : name, name: text.themes[name] }))
  return (
    <div class="stack">
      <h1>{text.heading}</h1>
      <p class="soft">{text.lead}</p>
      <div class="embed-builder">
        <div class="stack">
          <div class="card stack">
            <div class="pair">
              <TokenChoice name={text.from} value={from} networks={networks.value} />
              <TokenChoice name={text.to} value={to} networks={networks.value} />
            </div>
            <div class="pair">
              <Typed name={text.amount} value={amount} />
              <Typed name={text.recipient} value={recipient} />
            </div>
            <label class="check small">
              <input
                type="checkbox"
                checked={isLocked.value}
                onChange={({ currentTarget }) => (isLocked.value = currentTarget.checked)}
              />
              {text.lock}
            </label>
            <div class="pair">
              <Choice name={text.theme} value={theme} options={themes} />
              <Choice
                name={text.language}
                value={lang}
                options={[{ value: '', name: text.languageAuto }, ...languages]}
              />
            </div>
            <label class="field small">
              {text.accent}
              <input
                class="input"
                type="color"
                value={accent.value}
                onChange={({ currentTarget }) => (accent.value = currentTarget.value)}
              />
            </label>
          </div>
          <section class="stack tight">
            <div class="row between">
              <h2>{text.code}</h2>
              <Copy text={code} label={shell.copy} done={shell.copied} name={shell.copyOf(text.code)} />
            </div>
            <Code text={code} />
          </section>
        </div>
        <section class="stack tight">
          <h2>{text.preview}</h2>
          <iframe class="embed-preview" title={text.frameTitle} src={`/embed?${new URLSearchParams(attributes)}`} />
        </section>
      </div>
    </div>
  )
}
