/** The signer process's environment, or the file that it names, parsed once; every problem is listed at once. */
import path from 'node:path'
import { ENVIRONMENTS } from '@causeway/core'
import { z } from 'zod'
import { type Settings, withFile } from '../../config/file.ts'
import { ConfigError, WantedFamilies } from '../../config.ts'
import { SIGNER_SHAPE, signerProblems } from '../backends/settings.ts'

const ROOT = path.join(import.meta.dirname, '../../../..')

const Environment = z
  .object({
    ...SIGNER_SHAPE,
    SIGNER_HOST: z.string().default('127.0.0.1'),
    SIGNER_PORT: z.coerce.number().int().min(0).max(65_535).default(8790),
    SIGNER_TOKEN_FILE: z.string(),
    SIGNER_POLICY_FILE: z.string(),
    SIGNER_JOURNAL_FILE: z.string(),
    NETWORKS: z
      .string()
      .default('networks/testnet')
      .transform((folder) => path.resolve(ROOT, folder)),
    FAMILIES: WantedFamilies,
    ENVIRONMENT: z.enum(ENVIRONMENTS).optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  })
  .superRefine((env, context) => {
    if (env.SIGNER === 'remote') {
      context.addIssue({ code: 'custom', path: ['SIGNER'], message: 'the signer process holds the keys itself' })
      return
    }
    for (const { name, problem } of signerProblems(env)) {
      context.addIssue({ code: 'custom', path: [name], message: problem })
    }
  })

export type SignerConfig = Omit<z.infer<typeof Environment>, 'ENVIRONMENT'> & {
  ENVIRONMENT: (typeof ENVIRONMENTS)[number]
}

export function parseSignerConfig(given: Settings): SignerConfig {
  const file = withFile(given)
  // A name without a value says nothing, as for the service.
  const env = Object.fromEntries(Object.entries(file.env).filter(([, value]) => value?.trim()))
  const parsed = Environment.safeParse(env)
  if (parsed.success && file.problems.length === 0) {
    const usual = path.basename(parsed.data.NETWORKS) === 'mainnet' ? 'mainnet' : 'testnet'
    return { ...parsed.data, ENVIRONMENT: parsed.data.ENVIRONMENT ?? usual }
  }
  const wrong = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []
  const problems = [...file.problems, ...wrong].map((problem) => `  - ${problem}`)
  throw new ConfigError(`the signer's configuration has problems:\n${problems.join('\n')}`)
}
