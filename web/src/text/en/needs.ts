/** Texts about items that wait for an operator, and about wallets below their minimum. */
const plural = (count: number, one: string, many: string) => (count === 1 ? one : many)

export const NEEDS = {
  thingsNeedYou: (count: number) => `${count} ${plural(count, 'item needs', 'items need')} you`,
  moneyWaits: (usd: string, age: string) => `${usd} of customers’ money is waiting, the oldest for ${age}.`,
  needTitles: {
    held: 'Payout on hold',
    owed: 'Refund needs an address',
    unmatched: 'Deposit without a swap',
    request: 'Request to confirm',
  },
  needActs: {
    held: 'Review payout',
    owed: 'Add address',
    unmatched: 'Assign deposit',
    request: 'Review request',
  },
  lowShort: 'Low',
  belowFloor: (symbol: string, network: string) => `${symbol} on ${network} is below its minimum`,
  belowFloorShort: 'Below minimum',
  aboveCeiling: 'Above maximum',
  inRange: 'In range',
  leftOf: (amount: string, floor: string) => `${amount} left, minimum ${floor}.`,
  canSpare: (network: string, amount: string) => `Most of it is on ${network}: ${amount}.`,
  planRefill: 'Plan a refill',
  tokenOn: (symbol: string, network: string) => `${symbol} on ${network}`,
  floorIs: (usd: string) => `Minimum ${usd}`,
  ceilingIs: (usd: string) => `Maximum ${usd}`,
  moreWallets: (count: number) => `Show ${count} more`,
  healthy: (count: number, all: number) => `${count} of ${all} healthy`,
}
