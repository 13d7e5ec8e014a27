import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { contractions, previousRelease } from './expansions.ts'

const FOLDER = path.join(import.meta.dirname, '../../../server/migrations')
const read = (name: string) => readFileSync(path.join(FOLDER, `${name}.sql`), 'utf8')
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => path.basename(file, '.sql'))
const { migrations: released } = previousRelease()

it('migrations since the previous release only expand, so that its processes run on', () => {
  expect(names).toEqual(expect.arrayContaining(released))
  const broken = names
    .filter((name) => !released.includes(name))
    .flatMap((name) => contractions(read(name), released).map((part) => `${name}: ${part}`))
  expect(broken, 'expand now, contract one release later: server/migrations/README.md').toEqual([])
})

it.each([
  'alter table swap drop column quote',
  'alter table swap drop quote, add view jsonb',
  'drop table swap_note',
  'alter table swap rename column sequence to ordinal',
  'alter table swap rename to trade',
  'alter table swap alter column reference type text',
  'alter table swap alter reference set not null',
  'alter table swap alter column refuel drop default',
  'alter table swap add column reason text not null',
  'alter table swap add made boolean not null default false, add reason text not null',
  'alter table payout drop constraint payout_units_check',
])('%s: a process of the release before would fail', (sql) => {
  expect(
    contractions(`-- A comment; with a semicolon.\ncreate table new (id uuid not null);\n${sql};`, []),
  ).not.toEqual([])
})

it.each([
  'create table new (id uuid primary key, reason text not null)',
  'alter table swap add column reason text, add made boolean not null default false',
  'alter table swap add subject uuid not null generated always as (id) stored',
  'alter table swap alter column quote_view drop not null',
  'drop index swap_due; create index swap_due on swap (due_at, id)',
  'alter table payout drop constraint payout_units_check; alter table payout add constraint payout_units_check check (units >= 0)',
])('%s: a process of the release before goes on', (sql) => {
  expect(contractions(`${sql};`, [])).toEqual([])
})

it('a file may remove what a released one replaced, and says which', () => {
  const sql = '-- Contracts 0113_old_price.\ndrop table old_price;'
  expect(contractions(sql, ['0113_old_price'])).toEqual([])
  expect(contractions(sql, [])).toEqual(['drop table old_price'])
})

it('files from before this rule that contract are recognised', () => {
  for (const name of ['0035_reference', '0054_slot_cancel', '0055_payout_states', '0056_writer_branch'])
    expect(contractions(read(name), []), name).not.toEqual([])
})
