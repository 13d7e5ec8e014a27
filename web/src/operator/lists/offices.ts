/**
 * Console pages besides those about money: apps and keys, webhooks, the Depository, campaigns, the ledger, operators,
 * the audit log.
 */
import type { Action, Field, List } from './lists.ts'
import { MONEY, ROLES } from './rooms.ts'

/** A dry run shows the result and sends nothing. */
const DRY_RUN: Field = { name: 'dry-run', flag: true }
const ON: Field[] = [{ name: 'network', options: 'networks' }]
const DEPOSITORY = { noun: 'depository', role: 'admin' as const, ask: [...ON, DRY_RUN] }
const MADE = ['units', 'network', 'to', 'swap'] as const
const RESUME_CAMPAIGN: Action = { noun: 'campaign', verb: 'resume', role: 'admin', from: { name: 'name' } }
const ENVIRONMENTS = ['testnet', 'mainnet'] as const

export const ROOMS: Record<string, List[]> = {
  ...MONEY,
  apps: [
    {
      ...{ noun: 'app', verb: 'list' },
      rows: [
        { noun: 'webhook', verb: 'add', role: 'admin', from: { app: 'name' }, ask: [{ name: 'url' }] },
        {
          ...{ noun: 'key', verb: 'create', role: 'admin', from: { app: 'name' } },
          ask: [
            { name: 'environment', options: ENVIRONMENTS },
            { name: 'kind', options: ['secret', 'public'] },
          ],
        },
      ],
      free: [{ noun: 'app', verb: 'create', role: 'admin', named: 'name' }],
    },
    {
      ...{ noun: 'key', verb: 'list' },
      rows: [
        { noun: 'key', verb: 'rotate', role: 'admin', from: { id: 'id' }, ask: [{ name: 'hours', optional: true }] },
        { noun: 'key', verb: 'revoke', role: 'admin', from: { id: 'id' } },
      ],
    },
  ],
  webhooks: [
    {
      ...{ noun: 'webhook', verb: 'deliveries' },
      rows: [
        {
          ...{ noun: 'webhook', verb: 'body', role: 'viewer', from: { id: 'delivery' }, reads: true },
          shows: ['url', 'state', 'last answer'],
        },
        {
          ...{ noun: 'webhook', verb: 'replay', role: 'support', from: { app: 'app', swap: 'swap' } },
          shows: ['url', 'status'],
        },
      ],
      filters: [{ name: 'state', options: ['', 'waiting', 'given-up', 'delivered'], optional: true }],
    },
    {
      ...{ noun: 'webhook', verb: 'list' },
      rows: [
        { noun: 'webhook', verb: 'test', role: 'support', from: { app: 'app', id: 'id' }, shows: ['url'] },
        {
          ...{
            noun: 'webhook',
            verb: 'events',
            role: 'admin',
            from: { app: 'app', id: 'id' },
            shows: ['url', 'events'],
          },
          ask: [{ name: 'events' }],
        },
        { noun: 'webhook', verb: 'remove', role: 'admin', from: { app: 'app', id: 'id' }, shows: ['url'] },
      ],
      free: [{ noun: 'webhook', verb: 'replay', role: 'support', ask: [{ name: 'app' }, { name: 'swap' }] }],
    },
  ],
  depository: [
    {
      ...{ noun: 'depository', verb: 'status' },
      filters: [{ name: 'network', options: 'networks' }],
      free: [
        { ...DEPOSITORY, verb: 'pause' },
        { ...DEPOSITORY, verb: 'unpause' },
        { ...DEPOSITORY, verb: 'deploy', ask: [...ON, { name: 'with-paymaster', flag: true }, DRY_RUN] },
        { ...DEPOSITORY, verb: 'factory' },
        { ...DEPOSITORY, verb: 'rotate', ask: [...ON, { name: 'from' }, { name: 'to' }, DRY_RUN] },
      ],
    },
  ],
  campaigns: [
    {
      ...{ noun: 'campaign', verb: 'list' },
      rows: [
        { noun: 'campaign', verb: 'show', role: 'viewer', from: { name: 'name' }, reads: true },
        { noun: 'campaign', verb: 'payouts', role: 'viewer', from: { name: 'name' }, reads: true },
        {
          ...{ noun: 'campaign', verb: 'pause', role: 'operator', from: { name: 'name' } },
          ask: [{ name: 'what', options: ['both', 'earning', 'payouts'] }],
          undo: { how: () => RESUME_CAMPAIGN },
        },
        RESUME_CAMPAIGN,
      ],
      free: [{ noun: 'campaign', verb: 'retry', role: 'admin', ask: [{ name: 'payout' }] }],
    },
  ],
  books: [
    {
      ...{ noun: 'books', verb: 'result' },
      filters: [{ name: 'days', options: ['1', '7', '30', '90'] }],
      isExported: true,
    },
    {
      ...{ noun: 'restored', verb: 'list' },
      rows: [
        // The list has two tables: transactions, and the payouts that they may have made.
        {
          ...{ noun: 'restored', verb: 'accept', role: 'admin', from: { transaction: 'transaction' } },
          shows: ['network', 'units', 'not recognised'],
        },
        {
          ...{ noun: 'restored', verb: 'paid', role: 'admin', from: { payout: 'payout' }, shows: MADE },
          ask: [{ name: 'transaction' }],
        },
        {
          ...{ noun: 'restored', verb: 'unpaid', role: 'admin', from: { payout: 'payout' }, shows: MADE },
          ask: [{ name: 'despite', optional: true }],
        },
      ],
      free: [{ noun: 'restored', verb: '', role: 'admin' }],
    },
  ],
  people: [
    {
      ...{ noun: 'operator', verb: 'list' },
      rows: [
        { noun: 'operator', verb: 'invite', role: 'admin', named: 'name' },
        { noun: 'operator', verb: 'vouch', role: 'admin', named: 'name', ask: [{ name: 'fingerprint' }] },
        { noun: 'operator', verb: 'role', role: 'admin', named: 'name', ask: [{ name: 'role', options: ROLES }] },
        { noun: 'operator', verb: 'remove', role: 'admin', named: 'name' },
      ],
      free: [
        {
          ...{ noun: 'operator', verb: 'add', role: 'admin', named: 'name' },
          ask: [
            { name: 'role', options: ROLES },
            { name: 'key', long: true },
          ],
        },
      ],
    },
  ],
  audit: [
    {
      ...{ noun: 'audit', verb: 'list' },
      filters: [{ name: 'last', options: ['50', '200', '1000'] }],
      isExported: true,
      free: [{ noun: 'audit', verb: 'verify', role: 'viewer', ask: [{ name: 'expect', optional: true }], reads: true }],
    },
  ],
}
