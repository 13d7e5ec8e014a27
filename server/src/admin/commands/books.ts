/** `books`: income and cost of the service, and whether that is a profit. */
import { profitSince } from '../../store/swaps/profit-and-loss.ts'
import { amountAt, type Command, parseArguments, table, UsageError } from '../context/command-context.ts'

const DAY_MS = 24 * 3_600_000
const MOST_DAYS = 366

export const booksCommands: Record<string, Command> = {
  result: {
    usage: 'result [--days 1]',
    help: 'Sums up what was earned and spent by token: fees, what the chains took, rewards, and what was lost. Prices that moved are not in it.',
    async run(desk, words) {
      const days = Number(parseArguments(words, ['days']).values.days ?? 1)
      if (!(Number.isInteger(days) && days > 0 && days <= MOST_DAYS))
        throw new UsageError(`--days is 1 to ${MOST_DAYS}`)
      const rows = await profitSince(desk.database, new Date(desk.now().getTime() - days * DAY_MS))
      if (rows.length === 0) return desk.print('nothing was earned or spent')
      table(
        desk,
        ['network', 'token', 'earned', 'network fees', 'rewards', 'lost', 'result'],
        rows.map(({ network, token, earned, networkFees, rewards, lost }) => [
          network,
          token,
          ...[earned, networkFees, rewards, lost, earned - networkFees - rewards - lost].map((units) =>
            amountAt(desk, network, token, units),
          ),
        ]),
      )
    },
  },
}
