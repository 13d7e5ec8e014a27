/**
 * No one acts in another's name, above their role, or on a missing object; and the audit log cannot be rewritten
 * unnoticed.
 */
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAudit } from '../../../server/src/store/operators/audit.ts'
import { admitSandbox } from '../../../server/src/store/operators/operators.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { bareEnvironment } from '../../support/processes/environment.ts'
import { admin } from '../../support/service/accounts.ts'
import { startServices, type TestServices } from '../../support/service/services.ts'

const MAIN = path.join(import.meta.dirname, '../../../server/src/admin/cli/main.ts')

let database: TestDatabase
let services: TestServices
let client: pg.Client
const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-operators-'))
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await services.stop()
  await database.stop()
})

/** An operator with their own key: the private part in one file, the public part in another. */
function person(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const [mine, given] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.pub`)]
  writeFileSync(mine, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(given, publicKey.export({ type: 'spki', format: 'pem' }))
  return { name, mine, given }
}
const [ada, bob, eve] = [person('ada'), person('bob'), person('eve')]

/** Runs the command line as an operator would. */
const type = (who: { mine: string } | null, ...words: string[]) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const env = {
      ...bareEnvironment(),
      DATABASE_URL: database.url,
      ...(who ? { OPERATOR_KEY_FILE: who.mine } : {}),
    }
    execFile(process.execPath, [MAIN, ...words], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, text: `${out}${err}`.trim() }),
    )
  })
const add = (by: { mine: string } | null, who: typeof ada, role: string) =>
  type(by, 'operator', 'add', who.name, '--role', role, '--key', who.given)
const pause = ['switch', 'pause', '--scope', 'network:ALPHA', '--what', 'both', '--reason', 'test']

describe('who acts', () => {
  it('without a key only reads are possible, and no name can be invented', async () => {
    expect((await type(null, 'switch', 'list')).text).toBe('nothing is paused')
    expect((await type(null, ...pause)).text).toContain("needs an operator's key")
    expect((await type(null, ...pause, '--actor', 'ada')).code).toBe(1)
    expect((await type(eve, 'switch', 'list')).text).toContain('the key of no operator')
  })

  it('the first is an admin who signs for themself; after that only an admin adds people', async () => {
    expect((await add(null, ada, 'admin')).text).toContain('the first operator signs for themself')
    expect((await add(ada, ada, 'viewer')).text).toContain('must be an admin')
    expect(await add(ada, ada, 'admin')).toMatchObject({ code: 0, text: expect.stringContaining('ada is admin') })
    expect((await add(eve, eve, 'admin')).text).toContain('the key of no operator')
    expect(await add(ada, bob, 'operator')).toMatchObject({ code: 0 })
    expect((await add(bob, eve, 'operator')).text).toContain('needs the role admin; bob is operator')
    expect((await add(ada, { ...eve, given: bob.given }, 'viewer')).text).toContain('belongs to another operator')
  })

  it('operators stop, admins restart, and removed people do neither', async () => {
    expect((await type(bob, ...pause)).text).toBe('network:ALPHA: swaps and payouts paused')
    const resume = ['switch', 'resume', '--scope', 'network:ALPHA']
    expect((await type(bob, ...resume)).text).toContain('needs the role admin')
    expect((await type(ada, ...resume)).text).toBe('network:ALPHA goes on')
    expect(await type(ada, 'operator', 'remove', 'bob')).toMatchObject({ code: 0 })
    expect((await type(bob, ...pause)).text).toContain('the key of no operator')
    const { rows } = await client.query('select distinct actor from audit_log order by actor')
    expect(rows.map(({ actor }) => actor)).toEqual(['ada', 'bob'])
  })
})

describe('the log', () => {
  const verify = (...words: string[]) => type(null, 'audit', 'verify', ...words)
  /** Changes the log with database access, verifies it, and reverts the change. */
  async function tampered(statement: string): Promise<string> {
    await client.query('create table kept as select * from audit_log')
    await client.query(statement)
    const { code, text } = await verify()
    await client.query('delete from audit_log')
    await client.query('insert into audit_log overriding system value select * from kept')
    await client.query('drop table kept')
    expect(code, text).toBe(1)
    return text
  }

  it('verifies as it was written', async () => {
    expect(await verify()).toMatchObject({ code: 0, text: expect.stringContaining('entries hold together') })
  })

  it('shows entries that were changed, inserted, removed or signed by another key', async () => {
    const second = '(select id from audit_log order by id offset 1 limit 1)'
    expect(await tampered(`update audit_log set data = '{"name":"x"}' where id = ${second}`)).toContain(
      'it was changed',
    )
    expect(await tampered(`update audit_log set actor = 'bob' where id = ${second}`)).toContain('it was changed')
    expect(await tampered(`delete from audit_log where id = ${second}`)).toContain('taken out')
    expect(await tampered(`insert into audit_log (actor, action, data) values ('ada', 'approved', '{}')`)).toContain(
      'without a hash',
    )
    expect(await tampered(`update audit_log set previous = null, hash = null where id = ${second}`)).toContain(
      'taken out',
    )
  })

  it("shows an entry without its operator's signature, although the hash chain is intact", async () => {
    // With the database and the code one can extend the hash chain, but not make ada's signature.
    const { rows } = await client.query('select * from audit_log order by id desc limit 1')
    const [{ previous }] = rows
    await insertAudit(services.database, { actor: 'ada', action: 'limit cleared', data: { scope: 'service' } })
    expect((await verify()).text).toContain('not signed by its actor')
    await client.query('delete from audit_log where id > $1', [rows[0].id])
    await client.query("update audit_log set signature = 'AAAA', hash = $1 where previous = $2", [
      '0'.repeat(64),
      previous,
    ])
    expect((await verify()).text).toContain('it was changed')
    const kept = rows[0]
    await client.query('update audit_log set signature = $1, hash = $2 where id = $3', [
      kept.signature,
      kept.hash,
      kept.id,
    ])
    expect((await verify()).code).toBe(0)
  })

  it('shows a truncated end if the newest hash was kept', async () => {
    const hash = /hash is (\w{64})/.exec((await verify()).text)?.[1] ?? ''
    expect(await verify('--expect', hash)).toMatchObject({ code: 0 })
    await client.query('delete from audit_log where hash = $1', [hash])
    expect(await verify()).toMatchObject({ code: 0 })
    expect((await verify('--expect', hash)).text).toContain('cut off')
  })

  it('in a sandbox the actor is the sandbox, without a key', async () => {
    await admitSandbox(services.database)
    expect(await type(null, ...pause)).toMatchObject({ code: 0 })
    const { rows } = await client.query('select actor, signature from audit_log order by id desc limit 1')
    expect(rows).toEqual([{ actor: 'sandbox', signature: null }])
  })
})

describe('what there is', () => {
  const set = (scope: string) =>
    admin(services, 'limit', 'set', '--kind', 'hourly_outflow', '--scope', scope, '--usd', '5')

  it('an unlisted scope is refused, and scopes are case-insensitive', async () => {
    for (const scope of [
      'network:ALFA',
      'token:ALPHA/0xnothing',
      'token:NOWHERE/native',
      'route:ALPHA/native>BETA/none',
    ])
      await expect(
        admin(services, 'switch', 'pause', '--scope', scope, '--what', 'both', '--reason', 'x'),
      ).rejects.toThrow('there is no')
    await expect(set('network:ALFA')).rejects.toThrow('listed are: ALPHA, BETA, GAMMA')
    await expect(
      admin(services, 'switch', 'pause', '--scope', 'campaign:none', '--what', 'both', '--reason', 'x'),
    ).rejects.toThrow('there is no campaign none')
    const usdc = services.catalogue.network('ALPHA').tokens[1]?.contract ?? ''
    expect(await set(`token:alpha/${usdc.toUpperCase()}`)).toBe(`hourly_outflow of token:ALPHA/${usdc} is 5 dollars`)
  })

  it('clearing something that is not set says so, and is not logged', async () => {
    const count = async () => Number((await client.query('select count(*) from audit_log')).rows[0].count)
    const before = await count()
    await expect(admin(services, 'limit', 'clear', '--kind', 'swap_max', '--scope', 'service')).rejects.toThrow(
      'there is no swap_max',
    )
    await expect(admin(services, 'switch', 'resume', '--scope', 'service')).rejects.toThrow('is not paused')
    expect(await count()).toBe(before)
  })
})
