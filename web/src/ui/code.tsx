/** Code with colours: comments, strings, keywords, calls and HTML tags. */
const TOKENS =
  /(?<c>(?<=^|\s)\/\/[^\n]*)|(?<s>'[^'\n]*'|"[^"\n]*"|`[^`]*`)|(?<k>\b(?:import|from|const|await|curl|true|false|null)\b|<\/?[\w-]+|\/?>)|(?<f>\b[a-zA-Z]\w*(?=\())/gm

export function Code({ text }: { text: string }) {
  return <pre class="code">{coloured(text)}</pre>
}

export function coloured(text: string) {
  let at = 0
  const parts = [...text.matchAll(TOKENS)].flatMap((match) => {
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0]
    const before = text.slice(at, match.index)
    at = match.index + match[0].length
    return [
      before,
      <span key={match.index} class={`code-${kind}`}>
        {match[0]}
      </span>,
    ]
  })
  return [...parts, text.slice(at)]
}
