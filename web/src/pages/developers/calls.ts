/** The example calls of the developer pages: their text, and how to run them here. */

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: object
}

export function asCurl({ method, path, body }: Call): string {
  const url = `${location.origin}${path}`
  if (method === 'GET') return `curl -s '${url}'`
  return `curl -s ${url} \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body, null, 2)}'`
}

export async function run({ method, path, body }: Call): Promise<string> {
  const init = body
    ? { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : { method }
  const response = await fetch(path, init)
  const text = await response.text()
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
