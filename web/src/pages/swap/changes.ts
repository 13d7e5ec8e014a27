/** Changes of the form: a token is chosen, the direction switched, a link filled in. */
import { plainNumber } from '@causeway/sdk/light'
import { batch } from '@preact/signals'
import { keepAmong } from '../../api/storage.ts'
import { cut } from '../../money/format.ts'
import { asTyped, parseAmount } from '../../money/parse-amount.ts'
import { type Choice, findChoice, keyOf } from './logic.ts'
import { loadRoutes } from './routes.ts'
import {
  destinations,
  from,
  isOtherRecipient,
  method,
  quote,
  recipient,
  refund,
  sources,
  to,
  typed,
  unit,
} from './state.ts'

export function choose(side: 'source' | 'destination', choice: Choice): void {
  const [own, other] = side === 'source' ? [from, to] : [to, from]
  batch(() => {
    if (other.value && keyOf(other.value) === keyOf(choice)) other.value = own.value
    // An address of one family must not be used on another.
    if (side === 'destination' && own.value?.network.type !== choice.network.type) forgetRecipient()
    own.value = choice
    chooseFirstMethod(from.value)
  })
  keepAmong('recent', keyOf(choice), 3)
  loadRoutes()
}

/** Chooses the first funding method of the source. Another one can be chosen for a single swap, in its review. */
export function chooseFirstMethod(source: Choice | null): void {
  method.value = source?.network.deposit_methods[0] ?? 'wallet'
}

/** Swaps the direction. Keeps the value, not the number, and drops the address, which may be another person's. */
export function turn(): void {
  const [a, b] = [from.value, to.value]
  const received = quote.value.quoted?.quote.receive_amount ?? 0
  batch(() => {
    from.value = b && findChoice(sources.value, keyOf(b))
    to.value = a && findChoice(destinations.value, keyOf(a))
    if (unit.value === 'token' && typed.value !== '')
      typed.value = received > 0 && b ? asTyped(cut(plainNumber(received), b.token.precision)) : ''
    forgetRecipient()
    refund.value = ''
    chooseFirstMethod(from.value)
  })
  loadRoutes()
}

export function forgetRecipient(): void {
  recipient.value = ''
  isOtherRecipient.value = false
}

/**
 * Fills the form from a link. A link that names a route starts a new form: nothing of the previous swap stays in it.
 */
export function prefill(query: Readonly<Record<string, string>>): void {
  batch(() => {
    if (query.from || query.to) {
      typed.value = ''
      unit.value = 'token'
      forgetRecipient()
      refund.value = ''
    }
    from.value = findChoice(sources.value, query.from ?? null) ?? from.value
    to.value = findChoice(destinations.value, query.to ?? null) ?? to.value
    // A link writes plain decimals in every language.
    const given = parseAmount(query.amount ?? '', '.')
    if (given.state === 'ok') typed.value = asTyped(given.decimal)
    if (query.recipient) recipient.value = query.recipient
    chooseFirstMethod(from.value)
    if (query.pay === 'deposit_address' && from.value?.network.deposit_methods.includes(query.pay))
      method.value = query.pay
  })
}
