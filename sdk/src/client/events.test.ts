/** Server-sent events, in chunks of any size. */
import { expect, test } from 'vitest'
import { readEvents } from './events.ts'

async function read(...pieces: string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const events = []
  for await (const event of readEvents(body)) events.push(event)
  return events
}

test('events are read across chunks, comments are skipped, an unfinished event is not emitted', async () => {
  const pieces = ['event: sw', 'ap\nid: x\ndata: {"a"', ':1}\n\n: heartbeat\n\nda', 'ta: one\ndata: two\n\ndata: unfin']
  expect(await read(...pieces)).toEqual([
    { event: 'swap', data: '{"a":1}' },
    { event: 'message', data: 'one\ntwo' },
  ])
})
