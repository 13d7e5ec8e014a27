/** A token's logo with its network's in the corner. Both come from the service, never from a third party. */

export function Logo({ token, network }: { token?: string | undefined; network?: string | undefined }) {
  return (
    <span class="logo" aria-hidden="true">
      {token && <img src={ownPath(token)} alt="" width={32} height={32} loading="lazy" />}
      {network && <img src={ownPath(network)} alt="" width={token ? 16 : 32} height={token ? 16 : 32} loading="lazy" />}
    </span>
  )
}

/** Uses only the path, so that an image always comes from the page's own origin. */
function ownPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url
}
