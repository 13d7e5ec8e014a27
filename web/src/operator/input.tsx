/** A field with its label, of one line, several, or a choice. */
import { useId } from 'preact/hooks'

interface InputProps {
  name: string
  label: string
  type?: 'text' | 'password'
  autocomplete?: string
  inputMode?: 'numeric' | 'text'
  minLength?: number
  optional?: boolean
  long?: boolean
  options?: readonly string[] | undefined
}

export function Input({ name, label, type = 'text', optional = false, long = false, options, ...rest }: InputProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name} class="input" required={!optional}>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : long ? (
        <textarea id={id} name={name} class="input mono" rows={4} required={!optional} />
      ) : type === 'password' ? (
        <input {...rest} type="password" id={id} name={name} class="input" required={!optional} />
      ) : (
        <input {...rest} type="text" id={id} name={name} class="input" required={!optional} />
      )}
    </div>
  )
}
