/**
 * Dual control: a command that loosens something, or gives much away, is requested by one person and carried out when
 * another confirms it. Without `FOUR_EYES_USD` one person suffices; a person whose role does not allow a command can
 * still request it.
 */
import { ERASE, insertRequest } from '../../store/operators/requests.ts'
import { type CommandContext, change, isAboveWithinDay } from '../context/command-context.ts'
import { type Given, wordsOf } from '../context/grammar.ts'
import { personOf, publicPemIn } from '../context/identity.ts'
import { commandTarget } from './command-target.ts'

/**
 * Whether a second person must confirm the command: because of its kind, its value, or its value together with what was
 * given away within a day. An unknown value counts as too high.
 */
export async function needsSecondApproval(desk: CommandContext, command: string, given: Given): Promise<boolean> {
  return (await weigh(desk, command, given)).needsTwo
}

/** Whether a second person must confirm the command; if not, what the one person gives away alone. */
export async function weigh(
  desk: CommandContext,
  command: string,
  given: Given,
): Promise<{ needsTwo: boolean; alone?: CommandContext['alone'] }> {
  const { fourEyesUsd } = desk
  if (fourEyesUsd === undefined) return { needsTwo: false }
  const subject = await commandTarget(desk, command, given)
  if (!subject || subject.wants === 'never') return { needsTwo: false }
  const { seen, usd, gifts = [] } = subject
  if (subject.wants === 'always' || usd === null || usd > fourEyesUsd) return { needsTwo: true }
  if (gifts.length > 0 && (await isAboveWithinDay(desk.database, { gifts, fourEyesUsd, now: desk.now() })))
    return { needsTwo: true }
  return { needsTwo: false, alone: { command, gifts, seen } }
}

export async function requestApproval(desk: CommandContext, command: string, given: Given): Promise<void> {
  const subject = await commandTarget(desk, command, given)
  const request = {
    ...{
      command,
      words: wordsOf(withKeyItself(given)),
      seen: subject?.seen ?? '',
      usd: subject?.usd ?? null,
      reason: desk.reason ?? null,
    },
    ...{ asked_by: personOf(desk.actor), asked_at: desk.now() },
  }
  // Logged as stored. An address to erase is not logged at all.
  const logged = {
    command,
    words: command === ERASE ? [] : request.words,
    about: subject?.about ?? '',
    usd: request.usd,
  }
  const id = await change(desk, 'asked for', logged, (queries) => insertRequest(queries, request))
  desk.asked?.(id)
  desk.print(`nothing is done yet: another person confirms it by "request confirm --id ${id}"`)
}

/**
 * The arguments with a key's content in place of its file name: by the time of confirmation the file may have changed, or
 * be on another machine. Of a key, only the public part is stored.
 */
function withKeyItself(given: Given): Given {
  const { key } = given.values
  return key === undefined ? given : { ...given, values: { ...given.values, key: publicPemIn(key) } }
}
