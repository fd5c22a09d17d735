// One line on standard error that is rewritten while something goes on: never wrapped, and gone without a trace at the end.
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import {clearLiveLine, writeLiveLine} from './streams.ts'

const refreshMs = 1000
const widthDefault = 80

// A line as wide as the terminal would wrap on some of them, so the last column stays free.
export function truncateToWidth(text: string, width: number): string {
  if (stringWidth(text) < width) return text
  let cut = ''
  for (const character of text) {
    if (stringWidth(cut + character) >= width - 1) break
    cut += character
  }
  return `${cut}…`
}

export interface LiveLine {
  refresh(): void
  end(): void
}

// The words change with time, so they are asked for anew every second.
export function startLiveLine(words: () => string): LiveLine {
  const refresh = () => writeLiveLine(truncateToWidth(cleanText(words()), process.stderr.columns || widthDefault))
  refresh()
  const timer = setInterval(refresh, refreshMs)
  return {
    refresh,
    end() {
      clearInterval(timer)
      clearLiveLine()
    },
  }
}
