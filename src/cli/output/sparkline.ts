// A small chart in one line: the last values, from the lowest to the highest.
import {Big} from 'big.js'
import {supportsUnicode} from './unicode.ts'

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const plainBars = ['_', '.', '-', '=', '^']

// Values are decimal text. If all are the same, the line is flat and low.
export function renderSparkline(values: readonly string[], width: number, isUnicode = supportsUnicode()): string {
  const shown = values.slice(-Math.max(0, width)).map((value) => new Big(value))
  const [first] = shown
  if (!first) return ''
  const levels = isUnicode ? bars : plainBars
  const lowest = shown.reduce((low, value) => (value.lt(low) ? value : low), first)
  const highest = shown.reduce((high, value) => (value.gt(high) ? value : high), first)
  const range = highest.minus(lowest)
  const pickLevel = (value: Big) =>
    range.eq('0')
      ? 0
      : Math.round(
          Number(
            value
              .minus(lowest)
              .div(range)
              .times(String(levels.length - 1))
              .toFixed(3),
          ),
        )
  return shown.map((value) => levels[pickLevel(value)]).join('')
}
