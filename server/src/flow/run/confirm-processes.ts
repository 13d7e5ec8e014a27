/**
 * Gives processes their branch of deposit addresses. Only the signing process does so, after it has compared the
 * database with the journal. A process without a branch accepts no swap.
 */
import type { Services } from '../../services.ts'
import { writersWithoutBranch } from '../../store/journal/writers.ts'
import { readBranch, setBranch } from '../../store/watch/address-branch.ts'

export async function confirmProcesses({ database, signing }: Services): Promise<void> {
  const { orders } = signing
  if (!orders || signing.stopped !== null) return
  for (const writer of await writersWithoutBranch(database)) {
    // The line is on disk before the number is used, so it is never given again, whatever happens to the database.
    await setBranch(database, writer, await orders.branch(writer))
  }
}

/** Uses the branch that this process was given. */
export async function takeBranch({ database, signing, addressBranch, log }: Services): Promise<void> {
  if (addressBranch.branch !== null) return
  const branch = await readBranch(database, signing.writer)
  if (branch === null) return
  addressBranch.branch = branch
  // After a restore without the journal, the operator lists the branches that were opened since the backup.
  log.info({ branch }, 'address branch opened')
}
