/** The slippage of one swap: automatic, a preset, or a percentage. */
import { useSignal } from '@preact/signals'
import { formatPercent } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { quote, slippage } from '../state.ts'

const PRESETS = ['0.001', '0.005', '0.01']

export function Slippage() {
  const custom = useSignal(isPreset(slippage.value) ? '' : String(Number(slippage.value) * 100))
  const isWrong = custom.value !== '' && fractionOf(custom.value) === null
  const auto = slippage.value === null ? quote.value.quoted?.quote.slippage : undefined
  const take = (fraction: string | null) => {
    custom.value = ''
    slippage.value = fraction
  }
  return (
    <div class="field">
      <span class="label" id="slippage">
        {text.slippageLabel}
      </span>
      <fieldset class="seg" aria-labelledby="slippage">
        <button type="button" aria-pressed={slippage.value === null} onClick={() => take(null)}>
          {text.slippageAuto}
        </button>
        {PRESETS.map((fraction) => (
          <button
            key={fraction}
            type="button"
            aria-pressed={slippage.value === fraction && custom.value === ''}
            onClick={() => take(fraction)}
          >
            {formatPercent(Number(fraction))}
          </button>
        ))}
        <input
          class={custom.value === '' ? 'custom' : 'custom on'}
          inputMode="decimal"
          autocomplete="off"
          placeholder={text.slippageCustom}
          aria-label={text.slippageCustomLabel}
          aria-invalid={isWrong}
          value={custom.value}
          onInput={({ currentTarget }) => {
            custom.value = currentTarget.value
            slippage.value = fractionOf(currentTarget.value)
          }}
        />
      </fieldset>
      <span class={isWrong ? 'help bad-text' : 'help'}>
        {isWrong
          ? text.slippageBad
          : auto === undefined
            ? text.slippageHelpPlain
            : text.slippageHelp(formatPercent(auto))}
      </span>
    </div>
  )
}

function isPreset(fraction: string | null): boolean {
  return fraction === null || PRESETS.includes(fraction)
}

const LEAST_PERCENT = 0.01
const MOST_PERCENT = 50

/** Parses a percentage; null if it is not one that the service accepts. */
function fractionOf(percent: string): string | null {
  const value = Number(percent.replace(',', '.').replace('%', ''))
  if (percent.trim() === '' || !(value >= LEAST_PERCENT && value <= MOST_PERCENT)) return null
  return String(+(value / 100).toFixed(6))
}
