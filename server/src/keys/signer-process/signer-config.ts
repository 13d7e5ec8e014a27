/** Parses the signer process's environment and policy file once, and lists all problems together. */
import { z } from 'zod'
import { type Settings, withFile } from '../../config/file.ts'
import { SIGNER_VARIABLES, signerProblems } from '../../config/signer-variables.ts'
import { type FieldsOf, parseTable, type VariableTable } from '../../config/table.ts'
import { PRICE_VARIABLES, SHARED_VARIABLES, WordList } from '../../config/variables.ts'
import { type Config, ConfigError, environmentOf } from '../../config.ts'

const VARIABLES = {
  ...SIGNER_VARIABLES,
  signerHost: ['SIGNER_HOST', z.string().default('127.0.0.1')],
  signerPort: ['SIGNER_PORT', z.coerce.number().int().min(0).max(65_535).default(8790)],
  signerTokenFile: ['SIGNER_TOKEN_FILE', z.string('is needed')],
  signerPolicyFile: ['SIGNER_POLICY_FILE', z.string('is needed')],
  signerJournalFolder: ['SIGNER_JOURNAL_FOLDER', z.string('is needed')],
  signerJournalCopy: ['SIGNER_JOURNAL_COPY', z.string().optional()],
  ...PRICE_VARIABLES,
  /** The price sources by which exchanges are judged. None: only the prices in the policy file. */
  prices: ['SIGNER_PRICES', WordList],
  journalKeepDays: ['JOURNAL_KEEP_DAYS', z.coerce.number().int().positive().default(400)],
  ...SHARED_VARIABLES,
} satisfies VariableTable

export interface SignerConfig extends Omit<FieldsOf<typeof VARIABLES>, 'environment'> {
  environment: Config['environment']
}

export function parseSignerConfig(given: Settings): SignerConfig {
  const { env, problems } = withFile(given)
  const { fields, problems: unreadable } = parseTable(VARIABLES, env)
  problems.push(...unreadable, ...(fields ? contradictions(fields) : []))
  if (fields && problems.length === 0) {
    return { ...fields, environment: fields.environment ?? environmentOf(fields.networksFolder) }
  }
  throw new ConfigError(`the signer's configuration has problems:\n${problems.map((one) => `  - ${one}`).join('\n')}`)
}

function contradictions(fields: FieldsOf<typeof VARIABLES>): string[] {
  return fields.signer === 'remote' ? ['SIGNER: the signer process holds the keys itself'] : signerProblems(fields)
}
