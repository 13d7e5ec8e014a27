import { describe } from 'vitest'
import { testErrorTable } from '../../../../tests/support/chains/error-table.ts'
import { ERRORS } from './errors.ts'

describe('errors of nodes', () => testErrorTable(ERRORS))
