// Plays the tour, and draws it as a terminal that moves, for the README: `npm run record` writes docs/tour.svg.
import fs from 'node:fs'
import path from 'node:path'
import {wrapText} from '../../src/cli/output/wrap-text.ts'
import {type ShownStep, playTour} from '../../src/tour/play.ts'
import {root} from '../surface.ts'
import {columnsMax, renderLines, renderPicture, renderTitle} from './picture.ts'
import {type Line, toLines} from './styled-lines.ts'

const rowsMax = 25

const secondsBeforeCommand = 1.6
const secondsBeforeOutput = 0.9
const secondsPerLine = 0.16
const secondsAtEnd = 2.4

// Lines that appear at the same time, and stay until the screen is cleared.
interface Part {
  lines: Line[]
  row: number
  from: number
  until: number
}

interface Screen {
  title: string
  parts: Part[]
  from: number
  until: number
}

const countRows = ({parts}: Screen) => parts.reduce((count, {row, lines}) => Math.max(count, row + lines.length), 0)

// Lays the steps out on screens, each with the time at which it and its parts appear.
function layOut(steps: readonly ShownStep[]): {screens: Screen[]; seconds: number} {
  const screens: Screen[] = []
  let now = 0
  const clear = (title: string): Screen => {
    const screen = {title, parts: [], from: now, until: 0}
    screens.push(screen)
    return screen
  }
  const add = (screen: Screen, lines: Line[]) => {
    screen.parts.push({lines, row: countRows(screen), from: now, until: 0})
  }
  const close = (screen: Screen) => {
    now += secondsAtEnd
    screen.until = now
    for (const part of screen.parts) part.until = now
  }
  for (const [index, {title, says, commands}] of steps.entries()) {
    const heading = `${index + 1} of ${steps.length} · ${title}`
    let screen = clear(heading)
    add(screen, [...wrapText(says, columnsMax).map((text) => [{text, style: 'dim'}]), []])
    for (const {says: remark, line, output} of commands) {
      now += secondsBeforeCommand
      const command = toLines(`$ ${line}`, columnsMax).map((parts) => parts.map((part) => ({...part, style: 'bold'})))
      const prompt: Line[] = [...(remark ? [[{text: remark, style: 'dim'}]] : []), ...command]
      const printed = output === '' ? [] : toLines(output.replace(/\n$/, ''), columnsMax)
      if (countRows(screen) + prompt.length + printed.length > rowsMax) {
        close(screen)
        screen = clear(heading)
      }
      add(screen, prompt)
      now += secondsBeforeOutput
      add(screen, [...printed, []])
      now += secondsPerLine * printed.length
    }
    close(screen)
  }
  return {screens, seconds: now}
}

const toPercent = (at: number, seconds: number) => `${Number(((at / seconds) * 100).toFixed(2))}%`

// Each group is visible from one time to another. The steps have no transition between them.
class Timeline {
  readonly #names = new Map<string, string>()
  readonly #seconds: number

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  getName(from: number, until: number): string {
    const frames = `${toPercent(from, this.#seconds)} ${toPercent(until, this.#seconds)}`
    const known = this.#names.get(frames) ?? `t${this.#names.size}`
    this.#names.set(frames, known)
    return known
  }

  toStyles(): string {
    const rules = [...this.#names].map(([frames, name]) => {
      const [from, until] = frames.split(' ')
      const hidden = from === '0%' ? '' : '0%{visibility:hidden}'
      const ended = until === '100%' ? '' : `${until}{visibility:hidden}`
      return `@keyframes ${name}{${hidden}${from}{visibility:visible}${ended}}.${name}{animation-name:${name}}`
    })
    return rules.join('\n')
  }
}

const renderStyles = (seconds: number, timeline: Timeline) => `
g{visibility:hidden;animation:${Number(seconds.toFixed(2))}s step-end infinite}
.still{visibility:visible}
@media (prefers-reduced-motion:reduce){g{animation:none}}
${timeline.toStyles()}
`

function renderRecording(steps: readonly ShownStep[]): string {
  const {screens, seconds} = layOut(steps)
  const timeline = new Timeline(seconds)
  // Readers without animation see the first screen.
  const body = screens.flatMap((screen, index) => {
    const still = index === 0 ? ' still' : ''
    const renderGroup = (from: number, until: number, text: string) =>
      `<g class="${timeline.getName(from, until)}${still}">${text}</g>`
    return [
      renderGroup(screen.from, screen.until, renderTitle(`svc tour · ${screen.title}`)),
      ...screen.parts.map(({lines, row, from, until}) => renderGroup(from, until, renderLines(lines, row))),
    ]
  })
  const description = `A recording of a terminal: ${steps.map(({title}) => title).join('; ')}.`
  return renderPicture({
    title: 'svc tour',
    description,
    rows: rowsMax,
    body,
    moreStyles: renderStyles(seconds, timeline),
  })
}

const steps = await playTour({
  command: [process.execPath, path.join(root, 'bin/run.js')],
  isInteractive: false,
  records: true,
})
fs.writeFileSync(path.join(root, 'docs/tour.svg'), renderRecording(steps))
