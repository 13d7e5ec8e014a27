/** Paying a deposit address, exchanges on the way, and money that is owed, in Spanish. */
import type {
  costs as EnglishCosts,
  deposit as EnglishDeposit,
  exchanging as EnglishExchanging,
  help as EnglishHelp,
  refunding as EnglishRefunding,
} from '../en/deposit.ts'

export const deposit: typeof EnglishDeposit = {
  exactly: 'Importe exacto',
  stillToSend: 'Por enviar',
  qr: (amount) => `Código QR con la dirección y el importe, ${amount}`,
  address: (network) => `Dirección de depósito en ${network}`,
  addressShort: 'dirección de depósito',
  amountShort: 'importe',
  signed: 'Firmado por este servicio',
  only: (symbol, network, amount) =>
    `Envía solo ${symbol} y solo en ${network}. Si envías desde un exchange, comprueba que lleguen ${amount} completos después de su comisión.`,
  onlyOpen: (symbol, network) => `Envía solo ${symbol} y solo en ${network}.`,
  openWallet: 'Abrir en la billetera',
  instead: '¿Envías desde un exchange o desde otro dispositivo?',
  ownFee: 'Tiene su propia comisión, que se muestra antes de confirmar.',
  useAddress: 'Obtener una dirección de depósito',
  unavailable: 'Los datos de pago no están disponibles ahora. Reintentando…',
}

export const refunding: typeof EnglishRefunding = {
  stillHere: (amount) => `También tenemos ${amount} a tu disposición`,
  stillHereWhat: 'Este importe no forma parte del intercambio de arriba.',
  stillHereWhy: 'Puede que viniera de un exchange, por eso no lo devolvimos automáticamente.',
  automatic: 'No tienes que hacer nada: te reembolsaremos en cuanto la comisión lo permita.',
  address: (network) => `Tu dirección en ${network}`,
  use: (address) => `Usar ${address}`,
  prove: 'Demuestra que el depósito es tuyo',
  ask: (sender) => `Firma con ${sender}, la cuenta que lo envió. Firmar es gratis.`,
  askPlain: 'Firma con la cuenta que lo envió. Firmar es gratis.',
  enterAddress: 'Introduce una dirección',
  sign: 'Firmar y recibir el reembolso',
  signing: (name) => `Firma en ${name}. Es gratis.`,
  taken: (address) => `Guardado. Te reembolsaremos en ${address}. Esta página te avisará cuando se envíe.`,
  notAddress: (network) => `No es una dirección válida en ${network}.`,
  otherSender: (is, wants) => `${is} no envió este depósito. Cambia a ${wants}.`,
  declined: 'Has rechazado la firma. No se firmó nada.',
  cannotSign: (name) =>
    `${name} no puede firmar mensajes. Usa otra billetera o escribe a soporte con el ID de este intercambio.`,
  cannot: '¿Lo enviaste desde un exchange y no puedes firmar?',
  contact: 'Escribe a soporte',
  contactWith: 'con el ID de este intercambio.',
  else: 'Escribe a soporte con el ID de este intercambio.',
}

export const help: typeof EnglishHelp = {
  open: 'Obtener ayuda',
  title: 'Ayuda con este intercambio',
  text: 'Envía estos datos al operador. No contienen ninguna dirección.',
  copy: 'Copiar los datos',
  note: 'No des tu frase de recuperación a nadie. Nunca la pedimos.',
}

export const exchanging: typeof EnglishExchanging = {
  sold: (sold, bought, exchange) => `Vendido ${sold} por ${bought} en ${exchange}`,
  selling: (sold, exchange) => `Vendiendo ${sold} en ${exchange}`,
  youSold: (sold, bought, exchange) => `Has vendido ${sold} por ${bought} en ${exchange}`,
  youSell: (sold, exchange) => `Estás vendiendo ${sold} en ${exchange}`,
  elsewhere:
    'Tu propia billetera vende el depósito en un exchange. Continúa en la aplicación que creó este intercambio.',
  bought: (sold, exchange) => `Comprado con ${sold} en ${exchange}`,
  refundText: (amount, address) =>
    `Tu depósito ya se vendió en un exchange. El reembolso es lo que se obtuvo, menos la comisión de red: ${amount} a ${address}.`,
  path: 'Ruta',
  backNeeded: 'Esta ruta pasa por un exchange. Si falla, reembolsamos a esta dirección.',
}

export const costs: typeof EnglishCosts = {
  chooseAmount: 'Elige un importe',
  priceChoose: 'Elige uno para ver el precio.',
  priceOffline: 'Sin conexión no hay precio.',
  highFees: (share) => `Las comisiones son el ${share} de lo que envías. Con un importe mayor pesan menos.`,
  highImpact: (share) => `El precio es un ${share} peor que el del mercado. Prueba con un importe menor.`,
  highSlippage: (share) => `Tu deslizamiento máximo es del ${share}: podrías recibir hasta eso menos.`,
  refundFee: 'Comisión del reembolso',
  priceChange: 'Cambio de precio',
  exchangeFee: 'Comisión del exchange',
  exchangeAndPrice: 'Comisión del exchange y cambio de precio',
  belowMinimum: (minimum) => `el precio cayó por debajo de tu mínimo de ${minimum}.`,
}
