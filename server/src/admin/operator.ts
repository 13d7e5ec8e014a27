/** `operator`: the people who may change things, each with a role and a key of their own. */
import { createHash, randomBytes } from 'node:crypto'
import { endSessionsOf, findOperator, inviteOperator } from '../store/console.ts'
import {
  disableOperator,
  insertOperator,
  listOperators,
  SANDBOX_OPERATOR,
  setOperatorRole,
} from '../store/operators.ts'
import { type Command, change, needed, parseWords, table, UsageError } from './desk.ts'
import { fingerprintOf, publicTextIn } from './identity.ts'
import { ROLES, type Role, roleNamed } from './roles.ts'

const INVITE_MS = 24 * 3_600_000
const NAME = /^[a-z][a-z0-9._-]{0,62}$/

export const operatorCommands: Record<string, Command> = {
  add: {
    usage: `add NAME --role ${ROLES.join('|')} --key FILE`,
    help: 'Adds a person by the public half of their ed25519 key (PEM). The first must be an admin and adds themself, with OPERATOR_KEY_FILE and --key naming the same key.',
    async run(desk, words) {
      const { values, words: names } = parseWords(words, ['role', 'key'], 1)
      const [name = ''] = names
      if (!NAME.test(name) || name === SANDBOX_OPERATOR) {
        throw new UsageError(`${name} is no name: lower-case letters, digits, "_", "-" and ".", up to 63`)
      }
      const role = wantedRole(needed(values, 'role'))
      const publicKey = publicTextIn(needed(values, 'key'))
      const known = await listOperators(desk.database)
      if (known.some((other) => other.name === name)) throw new UsageError(`there is an operator ${name} already`)
      if (known.some((other) => other.public_key === publicKey)) throw new UsageError("this key is somebody else's")
      const isFirst = !known.some(({ public_key, disabled_at }) => public_key !== null && disabled_at === null)
      if (isFirst && role !== 'admin') throw new UsageError('the first operator must be an admin')
      await change(desk, 'operator added', { name, role, publicKey }, (queries) =>
        insertOperator(queries, { name, role, publicKey }),
      )
      desk.print(`${name} is ${role}; fingerprint of the key: ${fingerprintOf(publicKey)}`)
    },
  },
  invite: {
    usage: 'invite NAME',
    help: 'Prints a link, good once and for a day, by which a person sets a password and a code for the console. One they had is replaced.',
    async run(desk, words) {
      const [name = ''] = parseWords(words, [], 1).words
      const word = randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(word).digest('hex')
      const until = new Date(desk.now().getTime() + INVITE_MS)
      await change(desk, 'operator invited', { name, until: until.toISOString() }, async (queries) => {
        // The link is the inviter's to see: at the console, where nobody signs, it must not make them somebody else.
        const other = await findOperator(queries, name)
        if (other?.password && desk.sign === undefined && desk.role !== undefined)
          throw new UsageError(`${name} has a password already: another one is for whoever signs, on the command line`)
        const isKnown = name !== SANDBOX_OPERATOR && (await inviteOperator(queries, name, hash, until))
        if (!isKnown) throw new UsageError(`there is no operator ${name}`)
        await endSessionsOf(queries, name)
      })
      desk.print(`open this at the console, once, until ${until.toISOString()}:`)
      desk.print(`/operator/invite#${word}`)
    },
  },
  role: {
    usage: `role NAME --role ${ROLES.join('|')}`,
    help: 'Gives a person another role.',
    async run(desk, words) {
      const { values, words: names } = parseWords(words, ['role'], 1)
      const [name = ''] = names
      const role = wantedRole(needed(values, 'role'))
      await change(desk, 'operator role', { name, role }, async (queries) => {
        if (!(await setOperatorRole(queries, name, role))) throw new UsageError(`there is no operator ${name}`)
      })
      desk.print(`${name} is ${role}`)
    },
  },
  remove: {
    usage: 'remove NAME',
    help: 'Ends what a person may do. Their entries in the audit log stay, and so does the key that proves them.',
    async run(desk, words) {
      const [name = ''] = parseWords(words, [], 1).words
      await change(desk, 'operator removed', { name }, async (queries) => {
        if (!(await disableOperator(queries, name, desk.now()))) throw new UsageError(`there is no operator ${name}`)
        await endSessionsOf(queries, name)
      })
      desk.print(`${name} may do nothing any more`)
    },
  },
  list: {
    usage: 'list',
    help: 'Lists the people, their roles and the fingerprints of their keys.',
    async run(desk, words) {
      parseWords(words, [])
      const rows = await listOperators(desk.database)
      if (rows.length === 0) return desk.print('nobody yet; the first: operator add NAME --role admin --key FILE')
      table(
        desk,
        ['name', 'role', 'key', 'since', 'state'],
        rows.map(({ name, role, public_key, created_at, disabled_at }) => [
          name,
          role,
          public_key === null ? 'none' : fingerprintOf(public_key),
          created_at.toISOString(),
          disabled_at ? `removed ${disabled_at.toISOString()}` : 'active',
        ]),
      )
    },
  },
}

function wantedRole(text: string): Role {
  const role = roleNamed(text)
  if (!role) throw new UsageError(`--role is one of ${ROLES.join(', ')}`)
  return role
}
