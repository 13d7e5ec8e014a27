/** Whether the service answered the last request of this page. */
import { signal } from '@preact/signals'

/** False from a request without an answer until the next answer. */
export const isAnswering = signal(true)

/** `fetch`, which notes whether there was an answer. A request that the page itself withdrew says nothing. */
export const observedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    isAnswering.value = true
    return response
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) isAnswering.value = false
    throw error
  }
}
