/**
 * The overview as a stream of alerts. One read serves all viewers, and without viewers nothing is read. A stream ends
 * with its session.
 */
import { PassThrough } from 'node:stream'
import { type Console, Refused } from './console.ts'
import { type Session, sessionOf } from './login.ts'
import { overview } from './overview.ts'

/** The maximum delay of an alert. */
const LOOK_MS = 2_000
/** An update is sent at least this often: ages grow, and proxies close silent connections. */
const ANYWAY_MS = 10_000
const MOST_STREAMS = 100
const MOST_OF_ONE = 6
/** A client that does not read is disconnected; it reconnects for the newest state. */
const MOST_UNREAD = 4 * 1024 * 1024

interface Reader {
  stream: PassThrough
  word: string
  name: string
}

export interface Alerts {
  /** Opens a stream. `word` is the secret of the session's cookie. */
  open(session: Session, word: string): PassThrough
  stop(): void
}

export function createAlerts(house: Console): Alerts {
  const readers = new Set<Reader>()
  let isLooking = false
  let wake: () => void = () => undefined

  async function look(): Promise<void> {
    isLooking = true
    let last = ''
    let toldAt = 0
    try {
      while (readers.size > 0) {
        await sendAway()
        const { now, ...rest } = await overview(house)
        const text = JSON.stringify(rest)
        const isDue = text !== last || performance.now() - toldAt >= ANYWAY_MS
        for (const reader of readers)
          if (isDue || !told.has(reader)) tell(reader, `data: ${JSON.stringify({ now, ...rest })}\n\n`)
        if (isDue) [last, toldAt] = [text, performance.now()]
        await pause()
      }
    } catch (error) {
      house.log.warn({ err: error }, 'failed to read the console overview')
      // Clients reconnect, and poll in the meantime.
      for (const { stream } of readers) stream.destroy()
    } finally {
      isLooking = false
    }
  }

  /** Streams that have received an update. */
  const told = new WeakSet<Reader>()

  function tell(reader: Reader, text: string): void {
    const { stream } = reader
    if (stream.writableEnded || stream.destroyed) return
    if (stream.writableLength + stream.readableLength > MOST_UNREAD) stream.destroy()
    else stream.write(text)
    told.add(reader)
  }

  /** Ends streams of sessions that were logged out, removed, or idle for too long. */
  async function sendAway(): Promise<void> {
    for (const reader of readers) {
      if (await sessionOf(house, reader.word, { isSeen: false })) continue
      tell(reader, 'event: gone\ndata: {}\n\n')
      reader.stream.end()
      readers.delete(reader)
    }
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    open({ name }, word) {
      const own = [...readers].filter((reader) => reader.name === name)
      if (readers.size >= MOST_STREAMS || own.length >= MOST_OF_ONE)
        throw new Refused(429, 'TOO_MANY', 'Too many pages of this console are open.')
      const reader = { stream: new PassThrough(), word, name }
      readers.add(reader)
      reader.stream.once('close', () => {
        readers.delete(reader)
        if (readers.size === 0) wake()
      })
      if (isLooking) wake()
      else void look()
      return reader.stream
    },
    stop() {
      for (const { stream } of readers) stream.end()
      readers.clear()
      wake()
    },
  }
}
