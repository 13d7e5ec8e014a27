/** The slippage choice. The service's default applies unless the user changes it. */
import { swap as text } from '../../../text/en.ts'
import { slippage } from '../state.ts'

const CHOICES = ['0.005', '0.01', '0.03']

export function SlippageChoice() {
  return (
    <label class="row between small slippage">
      <span class="soft">{text.slippageLabel}</span>
      <select
        class="input"
        value={slippage.value ?? ''}
        onChange={({ currentTarget }) => (slippage.value = currentTarget.value || null)}
      >
        <option value="">{text.slippageAuto}</option>
        {CHOICES.map((fraction) => (
          <option key={fraction} value={fraction}>
            {`${Number(fraction) * 100} %`}
          </option>
        ))}
      </select>
    </label>
  )
}
