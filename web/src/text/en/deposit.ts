/** Paying a deposit address, and money that is owed. */
export const deposit = {
  exactly: 'Exact amount',
  stillToSend: 'Still to send',
  qr: (amount: string) => `QR code with the address and the amount, ${amount}`,
  address: (network: string) => `Deposit address on ${network}`,
  addressShort: 'deposit address',
  amountShort: 'amount',
  signed: 'Signed by this service',
  only: (symbol: string, network: string, amount: string) =>
    `Send only ${symbol}, and only on ${network}. If you send from an exchange, make sure the full ${amount} arrives after its fee.`,
  onlyOpen: (symbol: string, network: string) => `Send only ${symbol}, and only on ${network}.`,
  openWallet: 'Open in wallet',
  instead: 'Sending from an exchange or another device?',
  useAddress: 'Get a deposit address',
  ownFee: 'It has its own fee, shown before you confirm.',
  unavailable: 'The payment details aren’t available right now. Trying again…',
}

/** Texts about money that is owed: refunded automatically, or after the user gives an address. */
export const refunding = {
  stillHere: (amount: string) => `We also hold ${amount} for you`,
  stillHereWhat: 'This amount isn’t part of the swap above.',
  stillHereWhy: 'It may have come from an exchange, so we didn’t return it automatically.',
  automatic: 'No action needed. We’ll refund it as soon as the network fee allows.',
  address: (network: string) => `Your ${network} address`,
  use: (address: string) => `Use ${address}`,
  prove: 'Show that the deposit is yours',
  ask: (sender: string) => `Sign with ${sender}, the account that sent it. Signing is free.`,
  askPlain: 'Sign with the account that sent it. Signing is free.',
  enterAddress: 'Enter an address',
  sign: 'Sign and get refund',
  signing: (name: string) => `Sign in ${name}. It’s free.`,
  taken: (address: string) => `Saved. We’ll refund to ${address}. This page updates when it is sent.`,
  notAddress: (network: string) => `This isn’t a valid address on ${network}.`,
  otherSender: (is: string, wants: string) => `${is} did not send this deposit. Switch to ${wants}.`,
  declined: 'You declined. Nothing was signed.',
  cannotSign: (name: string) =>
    `${name} can’t sign a message. Use another wallet, or contact support with this swap’s ID.`,
  cannot: 'Sent from an exchange and can’t sign?',
  contact: 'Contact support',
  contactWith: 'with this swap’s ID.',
  else: 'Contact support with this swap’s ID.',
}

/** Help with a swap. */
export const help = {
  open: 'Get help',
  title: 'Get help with this swap',
  text: 'Send these details to the operator. They contain no address.',
  copy: 'Copy details',
  note: 'Never give anyone your recovery phrase. We never ask for it.',
}

/** A swap that goes over exchanges. */
export const exchanging = {
  sold: (sold: string, bought: string, exchange: string) => `Sold ${sold} for ${bought} on ${exchange}`,
  selling: (sold: string, exchange: string) => `Selling ${sold} on ${exchange}`,
  youSold: (sold: string, bought: string, exchange: string) => `You sold ${sold} for ${bought} on ${exchange}`,
  youSell: (sold: string, exchange: string) => `You are selling ${sold} on ${exchange}`,
  elsewhere:
    'For this swap, your own wallet sells the deposit on an exchange. Continue in the app where you created it.',
  bought: (sold: string, exchange: string) => `Bought with ${sold} on ${exchange}`,
  refundText: (amount: string, address: string) =>
    `Your deposit was already sold on an exchange. The refund is what the sale brought in, minus the network fee: ${amount} to ${address}.`,
  path: 'Route',
  backNeeded: 'This route uses an exchange. If the trade fails, we’ll refund this address.',
}

/** Warnings about a price, why it was refused, and lines of a receipt. */
export const costs = {
  chooseAmount: 'Choose an amount',
  priceChoose: 'Choose one to see the price.',
  priceOffline: 'No price while you’re offline.',
  highFees: (share: string) => `Fees are ${share} of what you send. Sending more makes that share smaller.`,
  highImpact: (share: string) => `The price is ${share} worse than the market’s. Try a smaller amount.`,
  highSlippage: (share: string) => `Your max slippage is ${share}: you may receive that much less.`,
  refundFee: 'Refund fee',
  priceChange: 'Price change',
  exchangeFee: 'Exchange fee',
  exchangeAndPrice: 'Exchange fee and price change',
  belowMinimum: (minimum: string) => `the price fell below your minimum of ${minimum}.`,
}
