/** How to reach support: a link if the operator has set one. */
import { site } from '../../../api/client.ts'
import { refunding as text } from '../../../text/texts.ts'

export function Contact() {
  const contact = site.value?.contact
  if (!contact) return <>{text.else}</>
  return (
    <>
      <a href={contact} target="_self">
        {text.contact}
      </a>{' '}
      {text.contactWith}
    </>
  )
}
