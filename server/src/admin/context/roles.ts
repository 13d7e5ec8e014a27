/**
 * Which role may run which command. Operators may stop things; starting them again, and anything that loosens a limit,
 * is for admins.
 */

/** Roles in ascending order: each includes the ones before it. */
export const ROLES = ['viewer', 'support', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

const WANTED: Record<string, Role> = {
  ...of('viewer', [
    'app list',
    'key list',
    'webhook list',
    'switch list',
    'limit list',
    'payout held',
    'payout list',
    'payout approval',
    'swap list',
    'swap show',
    'route why',
    'wallet list',
    'withdrawal list',
    'funding list',
    'network check',
    'unmatched list',
    'campaign list',
    'campaign show',
    'campaign payouts',
    'depository status',
    'journal status',
    'restore ',
    'audit list',
    'audit verify',
    'operator list',
    'request list',
    'books result',
    'canary ',
    'webhook deliveries',
    'webhook body',
  ]),
  ...of('support', ['webhook replay', 'webhook test', 'swap note']),
  ...of('operator', [
    'switch pause',
    'payout approve',
    'payout reject',
    'payout cancel',
    'swap refund',
    'wallet halt',
    'withdrawal remove',
    'unmatched assign',
    'unmatched refund',
    'unmatched ignore',
    'funding cancel',
    'campaign pause',
    'request confirm',
    'request refuse',
  ]),
}

/** Commands that a lower role may request. */
const ASKED_BY: Record<string, Role> = { 'swap refund': 'support' }

function of(role: Role, commands: string[]): Record<string, Role> {
  return Object.fromEntries(commands.map((command) => [command, role]))
}

/** Unlisted commands are for admins. */
export function roleFor(noun: string, verb: string): Role {
  return WANTED[`${noun} ${verb}`] ?? 'admin'
}

/** The role that may request a command if another person then confirms it. */
export function roleToAsk(noun: string, verb: string): Role {
  return ASKED_BY[`${noun} ${verb}`] ?? roleFor(noun, verb)
}

export function suffices(has: Role, wanted: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(wanted)
}

export function roleNamed(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null
}
