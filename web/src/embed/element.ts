/**
 * `<causeway-swap from to amount recipient lock app key lang theme accent radius font>`: the form in an iframe, on any page.
 * Emits `causeway:ready`, `:created`, `:left`, `:status` and `:error`; has the methods `setRoute`, `setTheme` and `open`.
 */

const SERVICE = new URL(import.meta.url).origin
const PASSED = ['from', 'to', 'amount', 'recipient', 'lock', 'app', 'key', 'lang', 'theme', 'accent', 'radius', 'font']
const LEAST_HEIGHT = 200
const MOST_HEIGHT = 3_000

class CausewaySwap extends HTMLElement {
  static observedAttributes = ['theme']
  #frame: HTMLIFrameElement | null = null
  #key = ''
  #hear = (event: MessageEvent) => this.#onMessage(event)

  connectedCallback(): void {
    const query = new URLSearchParams()
    for (const name of PASSED) {
      const value = this.getAttribute(name)
      if (value) query.set(name, value)
    }
    this.#key = `causeway-swap?${query}`
    const last = keptSwap(this.#key)
    if (last) query.set('swap', last)
    const frame = document.createElement('iframe')
    frame.src = `${SERVICE}/embed?${query}`
    frame.title = this.getAttribute('title') ?? 'Swap'
    frame.allow = 'clipboard-read; clipboard-write'
    Object.assign(frame.style, { width: '100%', height: '620px', border: '0', colorScheme: 'normal' })
    frame.addEventListener('load', () => this.#say({ do: 'hello' }))
    this.style.display = 'block'
    this.replaceChildren(frame)
    this.#frame = frame
    addEventListener('message', this.#hear)
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#hear)
  }

  attributeChangedCallback(_name: string, _before: string | null, theme: string | null): void {
    if (this.#frame) this.setTheme(theme ?? 'auto')
  }

  setRoute(route: { from?: string; to?: string; amount?: string }): void {
    this.#say({ do: 'setRoute', ...route })
  }

  setTheme(theme: string): void {
    this.#say({ do: 'setTheme', theme })
  }

  open(id: string): void {
    this.#say({ do: 'open', id })
  }

  #say(words: object): void {
    this.#frame?.contentWindow?.postMessage({ source: 'causeway-host', v: 1, ...words }, SERVICE)
  }

  #onMessage({ source, origin, data }: MessageEvent): void {
    if (origin !== SERVICE || source !== this.#frame?.contentWindow || data?.source !== 'causeway') return
    const { name, source: _, v: __, ...detail } = data
    if (name === 'hello') {
      this.#say({ do: 'hello' })
      return
    }
    if (name === 'resize' && this.#frame) {
      const height = Math.min(Math.max(Number(detail.height) || 0, LEAST_HEIGHT), MOST_HEIGHT)
      this.#frame.style.height = `${height}px`
    }
    if (name === 'created') keepSwap(this.#key, detail.id)
    if (name === 'left') keepSwap(this.#key, null)
    this.dispatchEvent(new CustomEvent(`causeway:${name}`, { detail, bubbles: true }))
  }
}

/**
 * How long the host page remembers the shown swap, so that a reload shows it again. Each form has its own entry, by its
 * attributes.
 */
const KEPT_MS = 24 * 3_600_000

function keptSwap(key: string): string | null {
  try {
    const { id, at } = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof id === 'string' && Date.now() - at < KEPT_MS ? id : null
  } catch {
    return null
  }
}

function keepSwap(key: string, id: string | null): void {
  try {
    if (id === null) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ id, at: Date.now() }))
  } catch {
    // The form works without storage.
  }
}

if (!customElements.get('causeway-swap')) customElements.define('causeway-swap', CausewaySwap)
