/** Every text of the pages in English, one object per page. No other file contains such texts. */

export { costs, deposit, exchanging, help, refunding } from './en/deposit.ts'
export { developers, embed, sandbox, webhooks } from './en/developers.ts'
export { explorer, history } from './en/lists.ts'
export { serviceStatus } from './en/service-status.ts'
export { shell } from './en/shell.ts'
export { status } from './en/status.ts'
export { picker, swap } from './en/swap.ts'
export { units } from './en/units.ts'
export { wallet } from './en/wallet.ts'
