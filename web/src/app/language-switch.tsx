/** The switch in the footer: each language by its own name. */
import { chooseLanguage, LANGUAGES, type Language, language } from '../text/language.ts'
import { shell as text } from '../text/texts.ts'

export function LanguageSwitch() {
  return (
    <select
      class="language"
      aria-label={text.language}
      value={language}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  )
}
