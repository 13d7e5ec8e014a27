/** The journal is damaged or contradicts itself. Nothing is signed until an operator has decided what to do. */
import { ConfigError } from '../../config.ts'
import { segmentFile } from './segment.ts'

export class JournalDamaged extends ConfigError {
  override name = 'JournalDamaged'
}

export function damagedAt(folder: string, segment: number, line: number): JournalDamaged {
  const file = segmentFile(folder, segment)
  return new JournalDamaged(
    `the journal is damaged at line ${line} of ${file}: run "journal repair", see docs/operate/journal.md`,
  )
}
