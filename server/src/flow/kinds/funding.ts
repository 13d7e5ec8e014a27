/** Books announced funding: the operator's transfer to the treasury is capital, and not an unmatched deposit. */
import { fundingReceived } from '@causeway/core'
import type { Services } from '../../services.ts'
import { type ArrivedFunding, arrivedFunding, takeAnnouncement } from '../../store/deposits/funding.ts'
import { lockUnmatched, resolveUnmatched } from '../../store/deposits/unmatched.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'

export async function bookFunding(services: Services): Promise<void> {
  for (const arrived of await arrivedFunding(services.database)) await book(services, arrived)
}

async function book({ database, catalogue, log }: Services, arrived: ArrivedFunding): Promise<void> {
  await database.transaction().execute(async (queries) => {
    // Another announcement of the same amount, or an operator, may have taken the deposit.
    const deposit = await lockUnmatched(queries, arrived.depositId)
    if (!deposit || !(await takeAnnouncement(queries, arrived))) return
    const { id: depositId, network, token, units } = deposit
    await resolveUnmatched(queries, depositId, 'capital', 0n)
    await insertPosting(queries, fundingReceived(catalogue.token(network, token), units), null)
    log.info(
      { network, depositId, announcement: arrived.announcementId, units: `${units}` },
      'announced funding arrived',
    )
  })
}
