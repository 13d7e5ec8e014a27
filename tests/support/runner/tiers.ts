/**
 * Which test file belongs to which tier. `npm test` runs *fast*; `npm run test:rest` what it leaves out; `npm run test:all` both;
 * `npm run test:system` is run by hand. `tiers.test.ts` checks that each file belongs to exactly one.
 */
import path from 'node:path'

export type Tier = 'fast' | 'rest' | 'system'

/**
 * Globs from the root. A file in `except` of its tier belongs to another one.
 *
 * *fast* needs Node and npm only, and takes at most six minutes on two quiet cores: no browser, no Debian package, no chain
 * but simulated ones and one EVM sandbox.
 */
export const TIERS: Record<Tier, { include: string[]; except: string[] }> = {
  fast: {
    include: [
      'core/src/**/*.test.ts',
      'chains/{kit,simulated}/**/*.test.ts',
      'server/src/**/*.test.ts',
      'sdk/src/**/*.test.ts',
      'web/src/**/*.test.ts',
      'tests/*.test.ts',
      'tests/attacks/{api,money,signer}/*.test.ts',
      'tests/e2e/funding/each-method.test.ts',
      'tests/networks/*.test.ts',
      'tests/sim/sim.test.ts',
      'tests/sim/!(guards)/*.test.ts',
      'tests/support/**/*.test.ts',
    ],
    except: ['server/src/admin/restore/*.test.ts'],
  },
  rest: {
    include: [
      'chains/!(kit|simulated)/**/*.test.ts',
      'contracts/*.test.ts',
      'devnet/src/**/*.test.ts',
      'server/src/admin/restore/*.test.ts',
      'tests/attacks/{on-chain,operators}/*.test.ts',
      'tests/browser/*.test.ts',
      'tests/{clients,examples}/*.test.ts',
      'tests/e2e/*/*.test.ts',
      'tests/sim/seeds.test.ts',
      'tests/sim/guards/*.test.ts',
    ],
    except: ['tests/e2e/funding/each-method.test.ts'],
  },
  system: { include: ['**/*.long.ts'], except: [] },
}

/** The tiers of a file, given by its path from the root. */
export function tiersOf(file: string): Tier[] {
  const matches = (globs: readonly string[]) => globs.some((glob) => path.posix.matchesGlob(file, glob))
  const names = Object.keys(TIERS) as Tier[]
  return names.filter((name) => matches(TIERS[name].include) && !matches(TIERS[name].except))
}
