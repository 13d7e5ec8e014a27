/** Phrases that our prose avoids, and functions that extract comments, test titles, messages and document text. */

interface Rule {
  phrase: RegExp
  instead: string
}

/** Sentences without an actor, and "where" for a condition. Headings of documents may begin with "What". */
const GRAMMAR: readonly Rule[] = [
  {
    phrase:
      /(?:^|[.:;!?]\s+)What (?:is|was|were|came|comes|stands|stood|names|has|had|can|may|must|counts?|counted|goes|went|lands|landed|waits|waited|left|leaves|they|we|it|others|a |an |the )/,
    instead: 'name the thing instead of "What …"',
  },
  {
    phrase:
      /(?:\b(?:null|true|false|absent|empty|undefined|none|nothing|present|zero|throws?|answers?|only|also|except|but)|[,;]) where\b/i,
    instead: '"if" or "when"',
  },
]

const WORDS: readonly Rule[] = [
  { phrase: /\b(?:nobody|somebody|whoever|whomever)\b/i, instead: 'name the actor: a user, an operator, a process' },
  { phrase: /\bso (?:many|much|long|often|few)\b(?! (?:that|as))/i, instead: 'name the number' },
  { phrase: /\banew\b/i, instead: '"again"' },
  { phrase: /\bdear(?:er)?\b/i, instead: '"expensive", "higher-fee"' },
  { phrase: /\breckon(?:s|ed)?\b/i, instead: '"compute"' },
  { phrase: /\bmend(?:s|ed)?\b/i, instead: '"fix"' },
  { phrase: /\bstruck out\b/i, instead: '"voided"' },
  { phrase: /\ball the same\b/i, instead: '"anyway"' },
  { phrase: /\bof late\b/i, instead: '"recently"' },
  { phrase: /\b(?:speaks? (?:of|against|for)|told of|tells? of)\b/i, instead: '"reports", "names"' },
  { phrase: /\bby (?:itself|themselves)\b/i, instead: '"automatically"' },
  { phrase: /\bbut for\b/i, instead: '"except"' },
  {
    phrase: /\b(?:stands?|stood) (?:in|at|there|where|elsewhere|behind|before|beside|for|on|under)\b/i,
    instead: '"is", "is stored", "is deployed"',
  },
  { phrase: /\bis (?:said|told|heard)\b/i, instead: '"is logged", "is reported"' },
]

/** The first banned phrase of a text, with a replacement; null if there is none. */
export function bannedPhrase(text: string, rules: 'words' | 'words and grammar'): string | null {
  const plain = text.replaceAll(/\s+/g, ' ').trim()
  for (const { phrase, instead } of rules === 'words' ? WORDS : [...GRAMMAR, ...WORDS]) {
    const found = phrase.exec(plain)
    if (found) return `"${found[0].trim()}", say ${instead}: ${plain.slice(0, 120)}`
  }
  return null
}

export function commentsIn(text: string): string[] {
  const blocks = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, block = '']) => block.replaceAll(/^\s*\*/gm, ' '))
  const lines = [...text.matchAll(/(?:^[ \t]*\/\/ .*(?:\n|$))+/gm)].map(([run]) => run.replaceAll(/^[ \t]*\/\//gm, ' '))
  return [...blocks, ...lines]
}

export function titlesIn(text: string): string[] {
  const calls = text.matchAll(/\b(?:it|test|describe)(?:\.\w+)*\(\s*(['"`])((?:(?!\1)(?:\\.|[^\\]))+)\1/g)
  return [...calls].map(([, , title = '']) => title.replaceAll(/\\(.)/g, '$1'))
}

/** Log lines, help texts and the messages of errors. */
export function messagesIn(text: string): string[] {
  const places = [
    /\b(?:log|logger)\.(?:fatal|error|warn|info|debug)\([^'"`]*?(['"`])((?:(?!\1).)+)\1/g,
    /\b(?:help|message|reason|text|title):\s*(['"`])((?:(?!\1).)+)\1/g,
    /new \w*(?:Error|Later|Failure|Rejected|Impossible|Bug)\(\s*(['"`])((?:(?!\1).)+)\1/g,
  ]
  return places.flatMap((place) => [...text.matchAll(place)].map(([, , message = '']) => message))
}

/** The sentences and table cells of a document, without code and quoted words. */
export function proseIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, 'x')
  return prose.split(/\n\s*\n|\n(?=\s*(?:[|#*-]|\d+\.))|(?<!\\)\|/)
}

/** The sentences of a document: of paragraphs, list items and table cells, without headings and link targets. */
export function sentencesIn(markdown: string): string[] {
  const text = markdown.replaceAll(/^#+ .*$/gm, '\n').replaceAll(/\]\([^)]*\)/g, ']')
  return proseIn(text).flatMap((part) =>
    part
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?:;]["')*]*) (?=["'(*[]*[A-Z0-9])|(?<=[.!?]["')*]*) /),
  )
}
