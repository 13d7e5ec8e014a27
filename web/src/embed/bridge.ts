/** Messages to the embedding page: status only, and only to the origin that sent the first message. */

type Told =
  | { name: 'ready' }
  | { name: 'resize'; height: number }
  | { name: 'created'; id: string; url: string }
  /** The user left a swap's page and returned to the form. */
  | { name: 'left' }
  | { name: 'status'; id: string; status: string }
  | { name: 'error'; code: string }

/** Requests of the embedding page. */
export type Asked = { source: 'causeway-host'; v: 1 } & (
  | { do: 'hello' }
  | { do: 'setRoute'; from?: string; to?: string; amount?: string }
  | { do: 'setTheme'; theme: string }
  | { do: 'open'; id: string }
)

export interface Bridge {
  tell(told: Told): void
}

export function openBridge(onAsked: (asked: Asked) => void): Bridge {
  let host: string | null = null
  const waiting: Told[] = []
  const post = (told: Told, origin: string) => parent.postMessage({ source: 'causeway', v: 1, ...told }, origin)
  addEventListener('message', ({ data, origin, source }: MessageEvent<Asked | null>) => {
    if (source !== parent || parent === window || data?.source !== 'causeway-host' || data.v !== 1) return
    host ??= origin
    if (origin !== host) return
    for (const told of waiting.splice(0)) post(told, host)
    onAsked(data)
  })
  // The host says hello when the frame has loaded, which may be before this listener exists. So ask for it again.
  // The question holds no data, so any page may read it.
  if (parent !== window) parent.postMessage({ source: 'causeway', v: 1, name: 'hello' }, '*')
  return {
    tell(told) {
      if (host) post(told, host)
      else waiting.push(told)
    },
  }
}
