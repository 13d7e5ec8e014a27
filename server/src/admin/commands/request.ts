/** `request`: requests of one operator, and another's answer. The confirmer's command carries the request out, once. */
import { isAppActor } from '../../store/operators/actor.ts'
import { listOperators, listVouchers } from '../../store/operators/operators.ts'
import { openRequest, openRequests, type RequestRow, settleRequest } from '../../store/operators/requests.ts'
import { type Command, type CommandContext, change, needed, table, UsageError } from '../context/command-context.ts'
import { ID } from '../context/forms.ts'
import { type Given, parseWords } from '../context/grammar.ts'
import { personOf } from '../context/identity.ts'
import { type Role, roleNamed, roleToAsk, suffices } from '../context/roles.ts'
import { commandTarget } from '../dual-control/command-target.ts'
import { weigh } from '../dual-control/dual-control.ts'
import { commonController } from '../dual-control/trust-graph.ts'

/** A request that is not answered within a day must be made again. */
export const LASTS_MS = 24 * 3_600_000
const MOST = 200
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Find = (words: string[]) => { command: Command; rest: string[]; role: Role } | null

/** Runs a command as if the desk's operator had typed it. */
type Run = (desk: CommandContext, words: string[]) => Promise<void>

export function requestCommands(find: Find, run: Run): Record<string, Command> {
  return {
    list: {
      usage: 'list',
      help: 'Lists requests that another person must confirm, the oldest first.',
      takes: {},
      async run(desk) {
        const rows = await openRequests(desk.database, since(desk), MOST)
        if (rows.length === 0) return desk.print('nobody asks for anything')
        const abouts = await Promise.all(rows.map((row) => aboutOf(desk, find, row)))
        table(
          desk,
          ['id', 'command', 'with', 'about', 'worth', 'why', 'asked by', 'asked at'],
          rows.map((row, position) => [
            row.id,
            row.command,
            shownWords(row.words),
            abouts[position] ?? '',
            row.usd === null ? '' : `$${row.usd.toFixed(2)}`,
            row.reason ?? '',
            row.asked_by,
            row.asked_at.toISOString(),
          ]),
        )
      },
    },
    confirm: {
      usage: 'confirm --id REQUEST_ID',
      help: "Carries out another person's request. If its object has changed since, nothing is done: it must be requested again.",
      takes: { options: { id: ID } },
      async run(desk, { values }) {
        const row = await requestOf(desk, values)
        const found = find([...row.command.split(' '), ...row.words])
        if (!found) throw new UsageError(`there is no command ${row.command} any more`)
        if (row.asked_by === personOf(desk.actor))
          throw new UsageError('another person than the one who asked confirms')
        if (desk.role !== undefined && !suffices(desk.role, found.role))
          throw new UsageError(`"${row.command}" needs the role ${found.role}; ${desk.actor} is ${desk.role}`)
        const given = parseWords(found.command.takes, found.rest)
        if (isAppActor(row.asked_by)) {
          // An app is no person: what it asks for is run as the confirmer's own command, which may need a second person.
          await settle(desk, find, row, 'confirmed')
          return run(desk, [...row.command.split(' '), ...row.words])
        }
        await stillMay(desk, row)
        const { needsTwo, alone } = await weigh(desk, row.command, given)
        if (needsTwo) await areTwo(desk, row.asked_by)
        const subject = await commandTarget(desk, row.command, given)
        if ((subject?.seen ?? '') !== row.seen)
          throw new UsageError('its object has changed since: check it, and request it again')
        // Settled first, so that it is never carried out twice.
        await settle(desk, find, row, 'confirmed')
        const reason = row.reason ?? desk.reason
        const asked = { askedBy: row.asked_by, requestId: row.id, seen: row.seen }
        // Below the threshold the two names may be one person: it counts as what one gave away.
        const both = { ...desk, ...asked, ...(reason === undefined ? {} : { reason }), ...(alone ? { alone } : {}) }
        await found.command.run(both, given)
      },
    },
    refuse: {
      usage: 'refuse --id REQUEST_ID',
      help: 'Removes a request from the list: another person’s, or your own.',
      takes: { options: { id: ID } },
      async run(desk, { values }) {
        const row = await requestOf(desk, values)
        await settle(desk, find, row, 'refused')
        desk.print(`"${row.command}" of ${row.asked_by} is refused`)
      },
    },
  }
}

async function requestOf(desk: CommandContext, values: Given['values']): Promise<RequestRow> {
  const id = needed(values, 'id')
  const row = UUID.test(id) ? await openRequest(desk.database, id, since(desk)) : null
  if (!row) throw new UsageError(`no request ${id} waits for an answer; "request list" shows those that do`)
  return row
}

/**
 * The current state of the request's object, so that the confirmer sees what they confirm. A missing object must not
 * hide other requests.
 */
async function aboutOf(desk: CommandContext, find: Find, { command, words }: RequestRow): Promise<string> {
  try {
    const found = find([...command.split(' '), ...words])
    const subject = found && (await commandTarget(desk, command, parseWords(found.command.takes, found.rest)))
    return subject?.about ?? ''
  } catch {
    return ''
  }
}

/** Throws if the requester was removed or demoted since. */
async function stillMay({ database }: CommandContext, { asked_by, command }: RequestRow): Promise<void> {
  const [noun = '', verb = ''] = command.split(' ')
  const people = await listOperators(database)
  const asker = people.find(({ name, disabled_at }) => name === asked_by && disabled_at === null)
  const role = asker && roleNamed(asker.role)
  if (!role || !suffices(role, roleToAsk(noun, verb))) throw new UsageError(`${asked_by} may not ask for it any more`)
}

/** Throws if both names may belong to one person: two names are two people only if no single person controls both. */
async function areTwo({ database, actor }: CommandContext, asker: string): Promise<void> {
  const me = personOf(actor)
  const one = commonController(await listOperators(database), await listVouchers(database), [asker, me])
  if (one === null) return
  const unknown = [me, asker].filter((name) => name !== one).join(' and ')
  throw new UsageError(
    `only ${one} vouches for ${unknown}: another admin who knows them must first run "operator vouch"`,
  )
}

async function settle(desk: CommandContext, find: Find, row: RequestRow, outcome: 'confirmed' | 'refused') {
  const { id, command, asked_by, usd } = row
  const about = await aboutOf(desk, find, row)
  const answer = { outcome, by: personOf(desk.actor), at: desk.now() }
  await change(desk, `request ${outcome}`, { id, command, asked: asked_by, about, usd }, async (queries) => {
    if (!(await settleRequest(queries, id, answer))) throw new UsageError('the request has already been answered')
  })
}

function since({ now }: CommandContext): Date {
  return new Date(now().getTime() - LASTS_MS)
}

/** The command as a person would type it. A key is shown by its fingerprint. */
function shownWords(words: string[]): string {
  return words
    .map((word) =>
      word
        .replace(/-----BEGIN.*/s, 'below')
        .replace(/^--/, '')
        .replace('=', ' '),
    )
    .join(', ')
}
