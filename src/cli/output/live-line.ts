// One line on standard error that is rewritten while something is in progress, and removed at the end. It never wraps.
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import {clearLiveLine, lineWidth, writeLiveLine} from './streams.ts'

const refreshMs = 1000

// Some terminals wrap a line that is as wide as they are, so the last column stays free.
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

// The text changes with time, so it is rendered again every second.
export function startLiveLine(render: () => string): LiveLine {
  const refresh = () => writeLiveLine(truncateToWidth(cleanText(render()), lineWidth() + 1))
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
