/** Every text of the pages in Spanish. The types are those of the English texts. */

export { costs, deposit, exchanging, help, refunding } from './es/deposit.ts'
export { developers, embed, sandbox, webhooks } from './es/developers.ts'
export { explorer, history } from './es/lists.ts'
export { serviceStatus } from './es/service-status.ts'
export { shell } from './es/shell.ts'
export { status } from './es/status.ts'
export { picker, swap } from './es/swap.ts'
export { units } from './es/units.ts'
export { wallet } from './es/wallet.ts'
