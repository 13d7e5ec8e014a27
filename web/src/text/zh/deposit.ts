/** Paying a deposit address, exchanges on the way, and money that is owed, in Chinese. */
import type {
  costs as EnglishCosts,
  deposit as EnglishDeposit,
  exchanging as EnglishExchanging,
  help as EnglishHelp,
  refunding as EnglishRefunding,
} from '../en/deposit.ts'

export const deposit: typeof EnglishDeposit = {
  exactly: '准确金额',
  stillToSend: '待发送',
  qr: (amount) => `包含地址和金额 ${amount} 的二维码`,
  address: (network) => `${network} 存入地址`,
  addressShort: '存入地址',
  amountShort: '金额',
  signed: '已由本服务签名',
  only: (symbol, network, amount) =>
    `只能通过 ${network} 发送 ${symbol}。如果从交易所转出，请确认扣除手续费后到账 ${amount}。`,
  onlyOpen: (symbol, network) => `只能通过 ${network} 发送 ${symbol}。`,
  openWallet: '在钱包中打开',
  instead: '从交易所或其他设备转出？',
  ownFee: '它有单独的费用，会在确认前显示。',
  useAddress: '获取存入地址',
  unavailable: '暂时无法获取转账信息，正在重试…',
}

export const refunding: typeof EnglishRefunding = {
  stillHere: (amount) => `我们还为您保管着 ${amount}`,
  stillHereWhat: '这笔金额不属于上面的兑换。',
  stillHereWhy: '它可能来自交易所，因此我们没有自动退回。',
  automatic: '您无需操作：网络手续费合适时，我们会立即退款。',
  address: (network) => `您的 ${network} 地址`,
  use: (address) => `使用 ${address}`,
  prove: '证明这笔存入属于您',
  ask: (sender) => `请用汇出资金的账户 ${sender} 签名。签名免费。`,
  askPlain: '请用汇出资金的账户签名。签名免费。',
  enterAddress: '请输入地址',
  sign: '签名并领取退款',
  signing: (name) => `请在 ${name} 中签名，不收费。`,
  taken: (address) => `已保存。我们将退款至 ${address}，发出后本页会更新。`,
  notAddress: (network) => `这不是有效的 ${network} 地址。`,
  otherSender: (is, wants) => `这笔存入不是由 ${is} 发出的，请切换到 ${wants}。`,
  declined: '您已拒绝，未签署任何内容。',
  cannotSign: (name) => `${name} 无法签署消息。请换一个钱包，或提供此兑换的 ID 联系客服。`,
  cannot: '从交易所转出、无法签名？',
  contact: '请联系客服',
  contactWith: '并提供此兑换的 ID。',
  else: '请提供此兑换的 ID 联系客服。',
}

export const help: typeof EnglishHelp = {
  open: '获取帮助',
  title: '获取此兑换的帮助',
  text: '请将这些信息发给运营方，其中不含任何地址。',
  copy: '复制信息',
  note: '切勿将助记词告诉任何人，我们绝不会索要。',
}

export const exchanging: typeof EnglishExchanging = {
  sold: (sold, bought, exchange) => `已在 ${exchange} 卖出 ${sold}，换得 ${bought}`,
  selling: (sold, exchange) => `正在 ${exchange} 卖出 ${sold}`,
  youSold: (sold, bought, exchange) => `您已在 ${exchange} 卖出 ${sold}，换得 ${bought}`,
  youSell: (sold, exchange) => `您正在 ${exchange} 卖出 ${sold}`,
  elsewhere: '存入由您自己的钱包在交易所卖出。请在创建此兑换的应用中继续。',
  bought: (sold, exchange) => `在 ${exchange} 用 ${sold} 买入`,
  refundText: (amount, address) => `您的存入已在交易所卖出。退款为卖出所得，扣除网络费：${amount}，退至 ${address}。`,
  path: '路径',
  backNeeded: '此路线经过交易所。如果交易失败，我们会退款到此地址。',
}

export const costs: typeof EnglishCosts = {
  chooseAmount: '请选择金额',
  priceChoose: '请选择其一以查看价格。',
  priceOffline: '离线时无法获取价格。',
  highFees: (share) => `费用占您发送金额的 ${share}。金额越大，占比越低。`,
  highImpact: (share) => `价格比市场价差 ${share}，请尝试更小的金额。`,
  highSlippage: (share) => `您的最大滑点为 ${share}，收到的金额可能相应减少。`,
  refundFee: '退款手续费',
  priceChange: '价格变动',
  exchangeFee: '交易所费用',
  exchangeAndPrice: '交易所费用和价格变动',
  belowMinimum: (minimum) => `价格低于您设定的最少收到数量 ${minimum}。`,
}
