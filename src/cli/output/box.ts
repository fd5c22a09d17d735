// Draws a box on standard error that says at a glance what is about to happen, before a person confirms it.
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import {type Painter, createPainter} from './colour.ts'
import {lineWidth, writeErrUncleaned} from './streams.ts'
import {wrapText} from './wrap-text.ts'

export interface BoxLine {
  text: string
  tone?: 'bold' | 'dim' | undefined
}

export interface BoxRow {
  label: string
  lines: readonly BoxLine[]
}

export interface Box {
  title: string
  // Real money: the title is in the colour of an alarm.
  isLive: boolean
  // Groups of rows, with an empty line between them.
  groups: ReadonlyArray<readonly BoxRow[]>
}

interface BoxStyle {
  width: number
  painter: Painter
}

// A box that is as wide as a large screen does not read at a glance.
const widthMax = 88
const gap = 2

const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

// How wide the labels are, beside which at least half of the room is left.
export function measureLabels(rows: readonly BoxRow[], width: number): number {
  const widest = Math.min(Math.floor(width / 2), Math.max(0, ...rows.map(({label}) => stringWidth(label))))
  return widest === 0 ? 0 : widest + gap
}

// A label and its lines beside it, each wrapped within its column.
export function renderRow({label, lines}: BoxRow, labelWidth: number, width: number, painter: Painter): string[] {
  const textWidth = Math.max(1, width - labelWidth)
  const labels = labelWidth === 0 ? [] : wrapText(label, labelWidth - gap)
  const texts = lines.flatMap(({text: given, tone}) => {
    // What comes from the service is cleaned line by line, so that nothing in it can fake a line.
    const text = cleanText(given)
    if (text === '') return []
    // Wrapping drops leading spaces, which align amounts.
    const broken = stringWidth(text) <= textWidth ? [text] : wrapText(text, textWidth)
    return broken.map((line) => (tone ? painter[tone](line) : line))
  })
  const count = texts.length === 0 ? 0 : Math.max(labels.length, texts.length)
  return Array.from({length: count}, (_, at) => painter.dim(padEnd(labels[at] ?? '', labelWidth)) + (texts[at] ?? ''))
}

export function renderBox({isLive, groups, title}: Box, style: BoxStyle): string {
  const {painter} = style
  const paintTitle = (text: string) => (isLive ? painter.alarm(text) : painter.bold(text))
  const width = Math.min(style.width, widthMax)
  const innerWidth = width - 4
  const labelWidth = measureLabels(groups.flat(), innerWidth)
  const [heading = '', ...titleRest] = wrapText(cleanText(title), innerWidth - 2)
  const rule = '─'.repeat(Math.max(1, innerWidth - stringWidth(heading) - 1))
  const lines = groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => [
      ...(index > 0 ? [''] : []),
      ...group.flatMap((row) => renderRow(row, labelWidth, innerWidth, painter)),
    ])
  return [
    `${painter.dim('┌─')} ${paintTitle(heading)} ${painter.dim(`${rule}┐`)}`,
    ...[...titleRest.map(paintTitle), ...lines].map(
      (text) => `${painter.dim('│')} ${padEnd(text, innerWidth)} ${painter.dim('│')}`,
    ),
    painter.dim(`└${'─'.repeat(width - 2)}┘`),
    '',
  ].join('\n')
}

export async function showBox(box: Box): Promise<void> {
  writeErrUncleaned(renderBox(box, {width: lineWidth(), painter: await createPainter(process.stderr)}))
}
