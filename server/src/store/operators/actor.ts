/** The actor of an audit entry. An operator at the command line is named alone; others have their kind as a prefix. */

export const appActor = (app: string, keyId: string): string => `app ${app}, key ${keyId}`
export const consoleActor = (operator: string): string => `console ${operator}`

/** The requester of what an app wants and operators decide. */
export const appRequester = (appId: string): string => `app ${appId}`

/** No operator's name has a space. */
export const APP_PREFIX = 'app '

export const isAppActor = (actor: string): boolean => actor.startsWith(APP_PREFIX)

/** The operator who acted through the console, by password and not by key; null for everyone else. */
export const consoleOperator = (actor: string): string | null =>
  actor.startsWith('console ') ? actor.slice('console '.length) : null
