/**
 * Has orders signed by a signer process, which holds the keys, the policy and the journal, and returns the whole
 * transaction. A lost answer does no harm: asked again for the same attempt, it returns the recorded bytes.
 */
import { Bug } from '@causeway/core'
import { z } from 'zod'
import { askSigner, type SignerConnection } from '../backends/http.ts'
import { PATHS } from '../backends/protocol.ts'
import type { OrderSigner, Recorded, SignRequest } from './orders.ts'
import {
  BranchAnswer,
  ClosedAnswer,
  LinesAnswer,
  RecordsAnswer,
  readAnswer,
  readRecord,
  SignAnswerWire,
  StatusAnswer,
  writeRequest,
} from './wire.ts'

const Done = z.unknown()

export function remoteOrders(connection: SignerConnection): OrderSigner {
  const ask = <Shape extends z.ZodType>(path: string, body: unknown, shape: Shape) =>
    askSigner(connection, path, body, shape)
  const tell = async (path: string, body: unknown) => void (await ask(path, body, Done))
  return {
    async sign(request) {
      const answer = readAnswer(await ask(PATHS.sign, writeRequest(request), SignAnswerWire))
      if (answer.is === 'signed' && !isAnswerTo(request, answer.record)) {
        throw new Bug('the signer answers with another transaction', { slot: request.slot.join(' ') })
      }
      return answer
    },
    async recorded({ network, account, slot }) {
      const { records } = await ask(PATHS.recorded, { network, account, slot }, RecordsAnswer)
      return records.map(readRecord)
    },
    async release({ network, account, slot }, allocation) {
      const { records } = await ask(PATHS.release, { network, account, slot, allocation }, RecordsAnswer)
      return records.map(readRecord)
    },
    close: async (closing) => (await ask(PATHS.close, closing, ClosedAnswer)).closed,
    status: () => ask(PATHS.status, {}, StatusAnswer),
    branch: async (writer) => (await ask(PATHS.branch, { writer }, BranchAnswer)).branch,
    stop: (code, found) => tell(PATHS.stop, { code, found }),
    saveMark: (vector) => tell(PATHS.mark, { vector }),
    resume: (vector, by) => tell(PATHS.resume, { vector, by }),
    async *lines(after) {
      for (let last = after; ; ) {
        const { lines } = await ask(PATHS.lines, { after: last }, LinesAnswer)
        yield* lines
        const end = lines.at(-1)
        if (!end) return
        last = end.n
      }
    },
    end: async () => undefined,
  }
}

/** Claims the signer's journal for this database, if no database has claimed it yet. */
export async function claimJournal(connection: SignerConnection, database: string): Promise<OrderSigner> {
  await askSigner(connection, PATHS.claim, { database }, Done)
  return remoteOrders(connection)
}

function isAnswerTo({ network, slot, attempt, order }: SignRequest, record: Recorded): boolean {
  const isSameSlot = record.slot.length === slot.length && record.slot.every((part, at) => part === slot[at])
  return isSameSlot && record.network === network && record.account === order.account && record.attempt === attempt
}
