/** The allowed values of a field: fixed words, or a list from the service. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Field } from '../lists/lists.ts'
import { loadScopes } from '../shell/calls.ts'

const NETWORK = 'network:'

/** The allowed values; undefined if any text is allowed. */
export function useChoices(options: Field['options']): readonly string[] | undefined {
  const scopes = useSignal<string[]>([])
  useEffect(() => {
    if (typeof options === 'string') void loadScopes().then((found) => (scopes.value = found))
  }, [])
  if (typeof options !== 'string') return options
  if (options === 'scopes') return scopes.value
  return scopes.value.filter((scope) => scope.startsWith(NETWORK)).map((scope) => scope.slice(NETWORK.length))
}
