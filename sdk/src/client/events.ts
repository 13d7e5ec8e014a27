/** Reads server-sent events from a response body. */

export interface ServerEvent {
  event: string
  data: string
}

/** Comments keep the connection alive and yield no event; `onBytes` is called for them too. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => undefined,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      unread += decoder.decode(value, { stream: true })
      const blocks = unread.split(/\r?\n\r?\n/)
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): ServerEvent | null {
  const data: string[] = []
  let event = 'message'
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') event = value
  }
  return data.length > 0 ? { event, data: data.join('\n') } : null
}
