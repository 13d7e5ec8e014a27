/** The builder of an embedded form: options, preview, and code to copy. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shell, embed as text } from '../../text/en.ts'
import { Copy } from '../../ui/copy.tsx'
import './page.css'

const THEMES = ['auto', 'light', 'dark']

export function EmbedPage() {
  const from = useSignal('')
  const to = useSignal('')
  const recipient = useSignal('')
  const theme = useSignal('auto')
  const accent = useSignal('#0b6b5d')
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
  }, [])
  const given = { from: from.value, to: to.value, recipient: recipient.value, theme: theme.value, accent: accent.value }
  const attributes = Object.entries(given).filter(([, value]) => value !== '' && value !== 'auto')
  const words = attributes.map(([name, value]) => ` ${name}="${value.replaceAll('"', '&quot;')}"`).join('')
  const code = `<script type="module" src="${location.origin}/embed.js"></script>\n<causeway-swap${words}></causeway-swap>`
  const query = new URLSearchParams(attributes)
  const fields = [
    { name: text.from, value: from },
    { name: text.to, value: to },
    { name: text.recipient, value: recipient },
  ]
  return (
    <div class="stack">
      <h1>{text.heading}</h1>
      <p class="soft">{text.lead}</p>
      <div class="embed-builder">
        <div class="stack">
          {fields.map(({ name, value }) => (
            <label key={name} class="field small">
              {name}
              <input
                class="input mono"
                value={value.value}
                onChange={({ currentTarget }) => (value.value = currentTarget.value.trim())}
              />
            </label>
          ))}
          <label class="field small">
            {text.theme}
            <select class="input" onChange={({ currentTarget }) => (theme.value = currentTarget.value)}>
              {THEMES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="field small">
            {text.accent}
            <input
              class="input"
              type="color"
              value={accent.value}
              onChange={({ currentTarget }) => (accent.value = currentTarget.value)}
            />
          </label>
          <section class="stack tight">
            <div class="row between">
              <h2>{text.code}</h2>
              <Copy text={code} label={shell.copy} done={shell.copied} name={shell.copyOf(text.code)} />
            </div>
            <pre class="code">{code}</pre>
          </section>
        </div>
        <section class="stack tight">
          <h2>{text.preview}</h2>
          <iframe class="embed-preview" title={text.frameTitle} src={`/embed?${query}`} />
        </section>
      </div>
    </div>
  )
}
