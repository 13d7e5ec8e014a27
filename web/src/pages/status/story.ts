/** The parts of the status page's text. */

export type Stage =
  | 'waiting'
  | 'sent'
  | 'confirming'
  | 'paying'
  | 'done'
  | 'returning'
  | 'returned'
  | 'owed'
  /** Owed, and sent back without an address from the user. */
  | 'small'
  | 'failed'
  | 'expired'
  | 'new'

export interface Story {
  stage: Stage
  heading: string
  sentences: string[]
  /** Why money is returned; null if it is not. */
  why: string | null
  /** The cost of the refund. */
  deducted?: string | null
  /** A part of a sentence that is shown bold, or in a fixed-width font. */
  bold?: string | null
  mono?: string | null
  /** For the tab's title, short. */
  brief: string
}

export type Telling = (heading: string, sentences: (string | null)[], brief?: string) => Story
