/** `operator`: manages the people who may change things, each with a role and a key. */
import { createHash, randomBytes } from 'node:crypto'
import type { Queries } from '../../store/db/database.ts'
import { endSessionsOf, findOperator, inviteOperator } from '../../store/operators/console.ts'
import {
  disableOperator,
  insertOperator,
  insertVoucher,
  listOperators,
  listVouchers,
  type OperatorRow,
  SANDBOX_OPERATOR,
  setOperatorRole,
} from '../../store/operators/operators.ts'
import { type Command, type CommandContext, change, needed, table, UsageError } from '../context/command-context.ts'
import { FINGERPRINT, OPERATOR, oneOf, PUBLIC_KEY } from '../context/forms.ts'
import { fingerprintOf, personOf, publicTextIn } from '../context/identity.ts'
import { ROLES, type Role, roleNamed } from '../context/roles.ts'
import { isOneOfLastTwo } from '../dual-control/command-target.ts'

const INVITE_MS = 24 * 3_600_000
/** The first two operators add each other, since there is no one else yet. */
const FOUNDERS = 2

export const operatorCommands: Record<string, Command> = {
  add: {
    usage: `add NAME --role ${ROLES.join('|')} --key FILE`,
    help: 'Adds a person by the public half of their ed25519 key (PEM). The first must be an admin and adds themself, with OPERATOR_KEY_FILE and --key naming the same key.',
    takes: { names: [OPERATOR], options: { role: oneOf(ROLES), key: PUBLIC_KEY } },
    async run(desk, { values, names: [name = ''] }) {
      if (name === SANDBOX_OPERATOR) throw new UsageError(`${name} is the operator of sandboxes`)
      const role = wantedRole(needed(values, 'role'))
      const publicKey = publicTextIn(needed(values, 'key'))
      const known = await listOperators(desk.database)
      if (known.some((other) => other.name === name)) throw new UsageError(`there is an operator ${name} already`)
      if (known.some((other) => other.public_key === publicKey))
        throw new UsageError('this key belongs to another operator')
      const isFirst = !known.some(({ public_key, disabled_at }) => public_key !== null && disabled_at === null)
      if (isFirst && role !== 'admin') throw new UsageError('the first operator must be an admin')
      await change(desk, 'operator added', { name, role, publicKey }, async (queries) => {
        // Locked, so that of concurrent additions only one is the second operator.
        const admins = (await listOperators(queries)).filter(isAdmin)
        await insertOperator(queries, {
          name,
          role,
          publicKey,
          isFounder: role === 'admin' && admins.length < FOUNDERS,
        })
        const vouchers = [personOf(desk.actor), ...(desk.askedBy === undefined ? [] : [desk.askedBy])]
        for (const voucher of vouchers.filter((other) => other !== name)) await insertVoucher(queries, name, voucher)
      })
      desk.print(`${name} is ${role}; fingerprint of the key: ${fingerprintOf(publicKey)}`)
    },
  },
  invite: {
    usage: 'invite NAME',
    help: "Prints a link, valid once and for a day, to set a password and a code for the console. It replaces an earlier one. A link made by another person must be accepted with a signature of the invited person's own key.",
    takes: { names: [OPERATOR] },
    async run(desk, { names: [name = ''] }) {
      const word = randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(word).digest('hex')
      const until = new Date(desk.now().getTime() + INVITE_MS)
      await change(desk, 'operator invited', { name, until: until.toISOString() }, async (queries) => {
        // The inviter sees the link, so the link alone must not let them act as the invited person.
        const isProven = desk.sign !== undefined && desk.actor === name
        const isKnown = name !== SANDBOX_OPERATOR && (await inviteOperator(queries, name, { hash, until, isProven }))
        if (!isKnown) throw new UsageError(`there is no operator ${name}`)
        await endSessionsOf(queries, name)
      })
      desk.print(`open this at the console, once, until ${until.toISOString()}:`)
      desk.print(`/operator/invite#${word}`)
    },
  },
  vouch: {
    usage: 'vouch NAME --fingerprint FINGERPRINT',
    help: 'Vouches for this person: you know them, and the key with this fingerprint is theirs, as they read it to you. A person whom only you added cannot confirm your requests.',
    takes: { names: [OPERATOR], options: { fingerprint: FINGERPRINT } },
    async run(desk, { values, names: [name = ''] }) {
      const voucher = personOf(desk.actor)
      if (voucher === name) throw new UsageError('an operator cannot vouch for themself')
      const fingerprint = needed(values, 'fingerprint')
      await change(desk, 'operator vouched', { name, fingerprint }, async (queries) => {
        const person = await findOperator(queries, name)
        if (!person?.public_key) throw new UsageError(`there is no operator ${name}`)
        if (fingerprintOf(person.public_key) !== fingerprint)
          throw new UsageError(
            `this is not the fingerprint of ${name}'s key: ask them to read it from their own machine`,
          )
        await insertVoucher(queries, name, voucher)
      })
      desk.print(`${voucher} knows ${name}`)
    },
  },
  role: {
    usage: `role NAME --role ${ROLES.join('|')}`,
    help: 'Gives a person another role.',
    takes: { names: [OPERATOR], options: { role: oneOf(ROLES) } },
    async run(desk, { values, names: [name = ''] }) {
      const role = wantedRole(needed(values, 'role'))
      await change(desk, 'operator role', { name, role }, async (queries) => {
        if (role !== 'admin') await keepTwo(desk, queries, name)
        if (!(await setOperatorRole(queries, name, role))) throw new UsageError(`there is no operator ${name}`)
      })
      desk.print(`${name} is ${role}`)
    },
  },
  remove: {
    usage: 'remove NAME',
    help: "Removes a person's rights. Their entries in the audit log stay, and so does the key that proves them.",
    takes: { names: [OPERATOR] },
    async run(desk, { names: [name = ''] }) {
      await change(desk, 'operator removed', { name }, async (queries) => {
        await keepTwo(desk, queries, name)
        if (!(await disableOperator(queries, name, desk.now()))) throw new UsageError(`there is no operator ${name}`)
        await endSessionsOf(queries, name)
      })
      desk.print(`${name} may do nothing any more`)
    },
  },
  list: {
    usage: 'list',
    help: 'Lists the people, their roles, the fingerprints of their keys, and who has said that they know them.',
    takes: {},
    async run(desk) {
      const rows = await listOperators(desk.database)
      if (rows.length === 0) return desk.print('nobody yet; the first: operator add NAME --role admin --key FILE')
      const vouchers = Map.groupBy(await listVouchers(desk.database), ({ operator }) => operator)
      table(
        desk,
        ['name', 'role', 'key', 'known by', 'since', 'state'],
        rows.map(({ name, role, public_key, created_at, disabled_at, is_founder }) => [
          name,
          role,
          public_key === null ? 'none' : fingerprintOf(public_key),
          [
            ...(is_founder ? ['founding member'] : []),
            ...(vouchers.get(name) ?? []).map(({ voucher }) => voucher),
          ].join(', '),
          created_at.toISOString(),
          disabled_at ? `removed ${disabled_at.toISOString()}` : 'active',
        ]),
      )
    },
  },
}

/**
 * Throws if too few admins would remain. Removals are serialised: an admin who removes two others at the same moment
 * must not be left alone.
 */
async function keepTwo({ fourEyesUsd, askedBy }: CommandContext, queries: Queries, name: string): Promise<void> {
  if (fourEyesUsd === undefined || askedBy !== undefined || !(await isOneOfLastTwo(queries, name))) return
  throw new UsageError(`${name} is one of the last two admins now: ask for it once more, and another person confirms`)
}

function isAdmin({ role, public_key, disabled_at }: OperatorRow): boolean {
  return role === 'admin' && public_key !== null && disabled_at === null
}

function wantedRole(text: string): Role {
  const role = roleNamed(text)
  if (!role) throw new UsageError(`--role is one of ${ROLES.join(', ')}`)
  return role
}
