/** The building blocks of a console page: lists, the actions of their rows, and the fields of an action. */
export interface Action {
  noun: string
  verb: string
  /** The lowest role that may run the action. */
  role: 'viewer' | 'support' | 'operator' | 'admin'
  /** Options that a row fills in, by column head. */
  from?: Record<string, string>
  /** The positional argument, from a row or from the user. */
  named?: string
  /** Options that the user fills in. */
  ask?: Field[]
  /** Whether the action only reads: it shows the output and asks for no reason. */
  reads?: boolean
  /** Columns of the row that are shown with the action. */
  shows?: readonly string[]
  /** Only for rows with, or without, a value in this column. */
  when?: { column: string; isSet: boolean }
  /** The column with the person who requested it and so may not do it. */
  notBy?: string
  /** The column that names the command whose effect the action has. */
  effectOf?: string
  undo?: Undo
  /** Why these values make no sense; null if they do. */
  refuses?: (values: Record<string, string>) => Promise<string | null>
  /** The path of the result's page, if it has one. */
  page?: (values: Record<string, string>) => string
  /** The field that serves as the reason; no other reason is asked for. */
  said?: string
}
/** An action that was started. */
export interface Started {
  action: Action
  values: Record<string, string>
  /** The positional argument, if a row gave it. */
  named: string | null
  /** The whole row, by column heads. */
  facts?: Record<string, string>
}
/** How to undo an action. */
interface Undo {
  /** Chosen by the previous value; null if there is no undo. */
  how: (before: Record<string, string> | null) => Action | null
  /** Reads the previous value right before the action; null if there is none. */
  before?: (values: Record<string, string>) => Promise<Record<string, string> | null>
}
export interface Field {
  name: string
  /** A fixed choice; 'scopes' and 'networks' are loaded from the service. */
  options?: readonly string[] | 'scopes' | 'networks'
  /** Whether it is a checkbox. */
  flag?: boolean
  optional?: boolean
  long?: boolean
}
export interface List {
  noun: string
  verb: string
  values?: Record<string, string>
  rows?: Action[]
  /** Actions that need no row. */
  free?: Action[]
  /** Whether the list can be exported as a file. */
  isExported?: boolean
  /** The filters of the list; the first choice is the default. */
  filters?: Field[]
}
