/** A labelled field: one line, several lines, a choice, or a checkbox. */
import { useContext, useId } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { wordFor } from '../lists/words.ts'
import { Drafted } from './draft.ts'

/** The value of a checked box. */
export const TICKED = 'yes'

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
  /** Renders a checkbox. */
  flag?: boolean
  onChoose?: (value: string) => void
}

export function Input(props: InputProps) {
  const { name, label, type = 'text', optional = false, long = false, flag = false, options, onChoose, ...rest } = props
  const id = useId()
  const begun = useContext(Drafted)[name]
  if (flag)
    return (
      <label class="row" for={id}>
        <input type="checkbox" id={id} name={name} value={TICKED} defaultChecked={begun === TICKED} />
        {label}
      </label>
    )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select
          id={id}
          name={name}
          class="input"
          required={!optional}
          onChange={(event) => onChoose?.(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option} value={option} selected={option === begun}>
              {option === '' ? text.all : wordFor(name, option)}
            </option>
          ))}
        </select>
      ) : long ? (
        <textarea id={id} name={name} class="input mono" rows={4} required={!optional} defaultValue={begun} />
      ) : type === 'password' ? (
        <input {...rest} type="password" id={id} name={name} class="input" required={!optional} />
      ) : (
        <input {...rest} type="text" id={id} name={name} class="input" required={!optional} defaultValue={begun} />
      )}
    </div>
  )
}
