/** The title of the tab: the page, then the name of the site. */
import { useEffect } from 'preact/hooks'
import { site } from '../api/client.ts'
import { shell } from '../text/texts.ts'

export function useTitle(page: string): void {
  const name = site.value?.name ?? shell.name
  useEffect(() => {
    document.title = shell.titled(page, name)
  }, [page, name])
}
