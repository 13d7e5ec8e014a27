/** Texts about wallets, in Spanish. */
import type { wallet as English } from '../en/wallet.ts'

export const wallet: typeof English = {
  oneConfirmation: 'una confirmación',
  connect: 'Conectar billetera',
  choose: (network) => `Conecta una billetera para ${network}`,
  yours: 'Tu billetera',
  more: 'Más billeteras',
  install: 'Instalar',
  opensApp: 'Abrir esta página en la aplicación',
  sandboxName: 'Billetera de prueba',
  sandboxNote: 'Incluida en este sandbox. Solo dinero de prueba.',
  none: (network) =>
    `No hay ninguna billetera de ${network} en este navegador. Abre esta página en la aplicación de tu billetera o usa una dirección de depósito.`,
  noneEver: (network) =>
    `Las billeteras del navegador no pueden enviar desde ${network} aquí. Usa una dirección de depósito.`,
  disconnect: 'Desconectar',
  send: (amount, name) => `Enviar ${amount} con ${name}`,
  confirm: (name, amount) => `Confirma en ${name}: envías ${amount}.`,
  approve: (at, of, amount) =>
    `Paso ${at} de ${of}: autoriza exactamente ${amount}. La página sigue cuando esté en un bloque.`,
  stepOf: (at, of, what) => `Paso ${at} de ${of}. ${what}`,
  notApproved: 'No se autorizó o la red lo rechazó. Tus tokens no se movieron.',
  signsFree: 'Firma para depositar. La comisión de red la pagamos nosotros.',
  signWith: (amount, name) => `Firmar por ${amount} con ${name}`,
  signIn: (name, amount) => `Firma en ${name}: nos permites tomar exactamente ${amount} para este intercambio.`,
  signatureTaken: 'Firma recibida. Estamos enviando tu depósito.',
  topUp: 'Tu saldo es insuficiente. Añade fondos y vuelve a firmar.',
  notSignedBy: (address) => `No lo firmó ${address}.`,
  tooLate: 'La firma ha caducado. Vuelve a firmar.',
  rejected: 'Lo rechazaste en tu billetera. No se envió nada.',
  locked: (name) => `${name} está bloqueada. Desbloquéala y vuelve a intentarlo.`,
  busy: (name) => `${name} te está esperando. Mira su ventana.`,
  network: (name, is, wants) => `${name} está en ${is}. Este intercambio empieza en ${wants}.`,
  otherNetwork: (name, wants) => `${name} está en otra red. Este intercambio empieza en ${wants}.`,
  chain: (id) => `la red ${id}`,
  switch: 'Cambiar de red',
  byHand: (name) => `Cámbialo en ${name} y vuelve a enviar.`,
  account: (name, is, wants) => `${name} usa ahora ${is}. Este intercambio necesita ${wants}.`,
  otherAccount: (name) => `${name} usa ahora otra cuenta.`,
  useAccount: 'Seguir con esa cuenta',
  noAnswer: (name) =>
    `${name} no respondió. Puede que haya enviado tu depósito: lo estamos buscando. No lo envíes otra vez.`,
  showsNone: 'Mi billetera no muestra ninguna transacción. Volver a pedirlo',
  funds: 'Tu saldo es insuficiente.',
  gas: 'Tu saldo no alcanza para la comisión de red.',
  unsupported: (name) => `${name} no puede enviar esto aquí. Usa una dirección de depósito u otra billetera.`,
}
