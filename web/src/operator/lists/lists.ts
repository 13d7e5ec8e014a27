/** What a room is made of: lists, what can be done with a row of them, and what is asked for then. */
export interface Action {
  noun: string
  verb: string
  /** The least role that may. */
  role: 'viewer' | 'support' | 'operator' | 'admin'
  /** Options that a row fills in, by the column's head. */
  from?: Record<string, string>
  /** A bare word that a row fills in, or that is asked for. */
  named?: string
  /** Options that are asked for. */
  ask?: Field[]
  /** Shows what it tells instead of asking why. */
  reads?: boolean
  /** Columns of the row that are shown with it. */
  shows?: readonly string[]
  /** The column that names who may not do it: the one who asked for it. */
  notBy?: string
  /** The column that names the command whose effect it has. */
  effectOf?: string
  undo?: Undo
  /** It is shown on a page of its own. */
  page?: (values: Record<string, string>) => string
  /** The field that says why: nothing else is asked for then. */
  said?: string
}
/** An act that somebody has begun. */
export interface Started {
  action: Action
  values: Record<string, string>
  /** The bare word, where a row gave it. */
  named: string | null
  /** The whole row, by the heads of its columns. */
  facts?: Record<string, string>
}
/** What takes an act back. */
interface Undo {
  /** By what stood there before; null where nothing does. */
  how: (before: Record<string, string> | null) => Action | null
  /** Reads that, right before it is done; null where there is nothing. */
  before?: (values: Record<string, string>) => Promise<Record<string, string> | null>
}
export interface Field {
  name: string
  /** Chosen from these; 'scopes' and 'networks' are those there are. */
  options?: readonly string[] | 'scopes' | 'networks'
  /** Said or not. */
  flag?: boolean
  optional?: boolean
  long?: boolean
}
export interface List {
  noun: string
  verb: string
  values?: Record<string, string>
  rows?: Action[]
  /** What needs no row. */
  free?: Action[]
  /** It can be taken along as a file. */
  isExported?: boolean
  /** What the list may be asked for; the first choice counts until another is made. */
  filters?: Field[]
}
