/** The API keys of the sandbox's app, to copy. They are valid only here, so even the secret one may be shown. */
import { shell, sandbox as text } from '../../text/texts.ts'
import { Copy } from '../../ui/copy.tsx'

export interface ApiKeys {
  public: string
  secret: string
}

const HEADER = 'X-LS-APIKEY'

export function Keys({ keys }: { keys: ApiKeys }) {
  const [before, after] = text.keysNote.split(HEADER)
  return (
    <section class="card stack">
      <h2>{text.keys}</h2>
      <p class="soft small">
        {before}
        <span class="nowrap">{HEADER}</span>
        {after}
      </p>
      <dl class="keys">
        <Key name={text.publicKey} note={text.publicNote} value={keys.public} />
        <Key name={text.secretKey} note={text.secretNote} value={keys.secret} />
      </dl>
    </section>
  )
}

function Key({ name, note, value }: { name: string; note: string; value: string }) {
  return (
    <div>
      <dt>
        {name} <span class="soft small">{note}</span>
      </dt>
      <dd class="row">
        <code class="mono">{value}</code>
        <Copy text={value} label={shell.copy} done={shell.copied} name={shell.copyOf(name)} />
      </dd>
    </div>
  )
}
