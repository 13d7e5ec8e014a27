/** A token's picture with its network's in the corner. Both are drawn by the service: nobody else is asked for them. */

export function Logo({ token, network }: { token?: string | undefined; network?: string | undefined }) {
  return (
    <span class="logo" aria-hidden="true">
      {token && <img src={ownPath(token)} alt="" width={32} height={32} loading="lazy" />}
      {network && <img src={ownPath(network)} alt="" width={token ? 16 : 32} height={token ? 16 : 32} loading="lazy" />}
    </span>
  )
}

/** Only the path counts: a picture comes from where the page came from. */
function ownPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url
}
