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

function renderRow({label, lines}: BoxRow, labelWidth: number, textWidth: number, {painter}: BoxStyle): string[] {
  const wrapped = lines.flatMap(({text: given, tone}) => {
    // What comes from the service is cleaned line by line, so that nothing in it can fake a line of the box.
    const text = cleanText(given)
    // Wrapping drops leading spaces, which align amounts.
    const broken = stringWidth(text) <= textWidth ? [text] : wrapText(text, textWidth)
    if (text === '') return []
    return broken.map((line) => (tone ? painter[tone] : String)(padEnd(line, textWidth)))
  })
  return wrapped.map((line, index) => painter.dim(padEnd(index === 0 ? label : '', labelWidth)) + line)
}

function renderRows(groups: Box['groups'], innerWidth: number, style: BoxStyle): string[] {
  const labelMax = Math.max(...groups.flat().map(({label}) => stringWidth(label)))
  const labelWidth = labelMax === 0 ? 0 : labelMax + gap
  const textWidth = Math.max(1, innerWidth - labelWidth)
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => [
      ...(index > 0 ? [' '.repeat(innerWidth)] : []),
      ...group.flatMap((row) => renderRow(row, labelWidth, textWidth, style)),
    ])
}

export function renderBox(box: Box, style: BoxStyle): string {
  const {isLive, groups} = box
  const title = cleanText(box.title)
  const {painter} = style
  const paintTitle = (text: string) => (isLive ? painter.alarm(text) : painter.bold(text))
  const width = Math.min(style.width, widthMax)
  const innerWidth = width - 4
  const sides = (text: string) => `${painter.dim('│')} ${text} ${painter.dim('│')}`
  const [heading = '', ...titleRest] = wrapText(title, innerWidth - 2)
  const rule = '─'.repeat(Math.max(1, width - 4 - stringWidth(heading) - 1))
  return [
    `${painter.dim('┌─')} ${paintTitle(heading)} ${painter.dim(`${rule}┐`)}`,
    ...titleRest.map((text) => sides(paintTitle(padEnd(text, innerWidth)))),
    ...renderRows(groups, innerWidth, style).map(sides),
    painter.dim(`└${'─'.repeat(width - 2)}┘`),
    '',
  ].join('\n')
}

export async function showBox(box: Box): Promise<void> {
  writeErrUncleaned(renderBox(box, {width: lineWidth(), painter: await createPainter(process.stderr)}))
}
