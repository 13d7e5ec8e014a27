/** GET /quote: what a swap of this amount would cost and deliver now. Nothing is stored. */
import { envelope, type LimitsQuery, Quoted, QuoteQuery } from '@causeway/sdk'
import {
  earningTerms,
  impliedFunding,
  type Offer,
  offerFor,
  offerMemory,
  parseAmount,
  parseSlippage,
  quoteAmount,
  type RouteRequest,
} from '../../../offer/quote-service.ts'
import { quoteViewOf } from '../../../offer/quote-view.ts'
import { requireReady } from '../../../offer/readiness.ts'
import type { Services } from '../../../services.ts'
import { flatten, toFields, toJson } from '../../http/json.ts'
import type { QuickAnswer } from '../../http/quick-answers.ts'
import { type Api, parseWith, sendText, skipValidation } from '../../http/schema.ts'
import { presentReward } from '../../present/campaign.ts'
import {
  type PresentationContext,
  presentationContextAt,
  presentationContextOf,
} from '../../present/presentation-context.ts'
import { presentAmounts, presentFrame, presentRefuel } from '../../present/quote.ts'

/** A plain decimal amount in the query. Any other form goes through full parsing. */
const AMOUNT = /(?<=[?&]amount=)\d{1,40}(?:\.\d{1,40})?(?=&|$)/

/** Everything about a quote except the amount, cached because people try one amount after the other. */
interface Question {
  offer: Offer
  slippage: bigint
  recipient: string | null
  /** JSON text: the quote's fields, and the refuel. */
  frame: string
  refuel: string
}

/** Returns the answer to a question that was asked a moment ago, maybe with another amount. */
export function quoteRoutes(api: Api, services: Services): QuickAnswer {
  const schema = { querystring: QuoteQuery, response: { 200: envelope(Quoted) } }
  const questions = offerMemory<Question>(services)
  api.get('/quote', { schema, validatorCompiler: skipValidation }, (request, reply) => {
    const { url } = request
    const viewpoint = presentationContextOf(services, request)
    const amount = AMOUNT.exec(url)
    if (!amount) {
      const query = parseWith(QuoteQuery, request.query)
      return sendOnceRead(questionOf(viewpoint, query), query.amount)
    }
    const words = wordsOf(viewpoint.baseUrl, url, amount)
    const question = questions.get(words, () => questionOf(viewpoint, parseWith(QuoteQuery, request.query)))
    return sendOnceRead(question, amount[0])

    function sendOnceRead(question: Question, text: string): void | Promise<void> {
      const send = () => void sendText(reply, answer(viewpoint, question, text))
      const reading = requireReady(services, question.offer.sourceChain.network.name)
      return reading ? reading.then(send) : send()
    }
  })

  return (url, baseUrl) => {
    const amount = AMOUNT.exec(url)
    const question = amount && questions.find(wordsOf(baseUrl, url, amount))
    if (!question) return null
    const reading = requireReady(services, question.offer.sourceChain.network.name)
    return reading ? null : answer(presentationContextAt(services, baseUrl), question, amount[0])
  }

  function questionOf(viewpoint: PresentationContext, query: QuoteQuery): Question {
    const offer = offerFor(services, impliedFunding(services, routeOf(query)))
    const { source, destination } = offer.pricing
    const slippage = parseSlippage(query.slippage ?? null)
    const recipient = recipientOf(offer, query.destination_address)
    const terms = { source, destination, slippage, view: quoteViewOf(offer, null) }
    const frame = flatten(toFields(presentFrame(viewpoint, terms)))
    const refuel = flatten(toJson(presentRefuel(viewpoint, terms)))
    return { offer, slippage, recipient, frame, refuel }
  }

  function answer(viewpoint: PresentationContext, question: Question, amount: string): string {
    const { offer, slippage, recipient, frame, refuel } = question
    const { source, destination } = offer.pricing
    const quote = quoteAmount(offer, parseAmount(amount, source), slippage)
    const now = services.now()
    const { earning } = services.campaigns.earning(earningTerms(offer, quote, recipient), now)
    const expiresAt = new Date(now.getTime() + offer.termMs)
    const view = quoteViewOf(offer, earning)
    const amounts = presentAmounts({ source, destination, slippage, quote, expiresAt, view })
    const reward = toJson(presentReward(viewpoint, earning))
    return `{"data":{"quote":{${toFields(amounts)},${frame}},"refuel":${refuel},"reward":${reward}}}`
  }
}

/** The question without its amount. */
function wordsOf(baseUrl: string, url: string, { index, 0: amount }: RegExpExecArray): string {
  return `${baseUrl}${url.slice(0, index)}${url.slice(index + amount.length)}`
}

/**
 * The recipient; null if it is invalid. Only the reward depends on it, and creating the swap rejects an invalid one.
 */
function recipientOf({ destinationChain }: Offer, address: string | undefined): string | null {
  return address === undefined ? null : destinationChain.parseAddress(address)
}

/** The route that a query or a body names. */
export function routeOf(
  named: Pick<
    LimitsQuery,
    | 'source_network'
    | 'source_token'
    | 'destination_network'
    | 'destination_token'
    | 'refuel'
    | 'use_deposit_address'
    | 'use_depository'
    | 'use_gasless'
  >,
): RouteRequest {
  return {
    sourceNetwork: named.source_network,
    sourceToken: named.source_token,
    destinationNetwork: named.destination_network,
    destinationToken: named.destination_token,
    refuel: named.refuel,
    useDepositAddress: named.use_deposit_address,
    useDepository: named.use_depository,
    useGasless: named.use_gasless,
  }
}
