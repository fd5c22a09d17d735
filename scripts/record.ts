// Plays the tour and writes it as an animated SVG, for the README: no script, no font of its own, light and dark after the reader's setting.
import fs from 'node:fs'
import path from 'node:path'
import {wrapText} from '../src/cli/output/wrap-text.ts'
import {type ShownStep, playTour} from '../src/tour/play.ts'
import {root} from './surface.ts'
import {type Line, escapeXml, toLines, toTextElement} from './styled-lines.ts'

const columnsMax = 80
const rowsMax = 25
const lineHeight = 19
const margin = 18
const characterWidth = 8.1
const titleHeight = 34

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

const styles = (seconds: number, timeline: Timeline) => `
svg{--paper:#fff;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--green:#1a7f37;--yellow:#7d4e00;--red:#c4001f;--cyan:#0550ae}
@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--green:#3fb950;--yellow:#d29922;--red:#ff7b72;--cyan:#79c0ff}}
text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--paper);stroke:var(--line)}.rule{stroke:var(--line)}
.bold{font-weight:600}.dim,.gray{fill:var(--dim)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}.red{fill:var(--red)}.cyan{fill:var(--cyan)}
g{visibility:hidden;animation:${Number(seconds.toFixed(2))}s step-end infinite}
.still{visibility:visible}
@media (prefers-reduced-motion:reduce){g{animation:none}}
${timeline.toStyles()}
`

function renderRecording(steps: readonly ShownStep[]): string {
  const {screens, seconds} = layOut(steps)
  const timeline = new Timeline(seconds)
  const width = Math.ceil(columnsMax * characterWidth + 2 * margin)
  const height = titleHeight + (rowsMax + 1) * lineHeight + margin
  const getBaseline = (row: number) => titleHeight + (row + 1) * lineHeight + 4
  // Readers without animation see the first screen.
  const groups = screens.flatMap((screen, index) => {
    const still = index === 0 ? ' still' : ''
    const title = toTextElement([{text: `svc tour · ${screen.title}`, style: 'bold'}], margin, 22)
    return [
      `<g class="${timeline.getName(screen.from, screen.until)}${still}">${title}</g>`,
      ...screen.parts.map(({lines, row, from, until}) => {
        const texts = lines.map((line, offset) => toTextElement(line, margin, getBaseline(row + offset)))
        return `<g class="${timeline.getName(from, until)}${still}">${texts.join('')}</g>`
      }),
    ]
  })
  const described = steps.map(({title}) => title).join('; ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">`,
    `<title id="title">svc tour</title><desc id="text">${escapeXml(`A recording of a terminal: ${described}.`)}</desc>`,
    `<style>${styles(seconds, timeline)}</style>`,
    `<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<path class="rule" d="M0 ${titleHeight}H${width}"/>`,
    ...groups,
    '</svg>',
    '',
  ].join('\n')
}

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the SVG file to write')
const steps = await playTour({
  command: [process.execPath, path.join(root, 'bin/run.js')],
  isInteractive: false,
  records: true,
})
fs.writeFileSync(file, renderRecording(steps))
process.stderr.write(`The recording is in ${file}.\n`)
