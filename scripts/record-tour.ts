// Plays the tour and draws it as a terminal that moves, for the README: `npm run record` writes docs/tour.svg. The picture has no
// script and no font of its own, and is light or dark after the reader's setting.
import fs from 'node:fs'
import path from 'node:path'
import {wrapAnsi} from 'fast-wrap-ansi'
import {type ShownStep, playTour} from '../src/tour/play.ts'
import {root} from './surface.ts'

// The colours of the pages, light and dark.
const [lightColours = '', darkColours = ''] = [
  ...fs.readFileSync(path.join(root, 'src/web/base.css'), 'utf8').matchAll(/:root \{([^}]*)\}/g),
].map(([, rules = '']) => (rules.match(/--[a-z\d-]+: #[^;]+;/g) ?? []).join(''))

const columnsMax = 80
const rowsMax = 25
const lineHeight = 19
const margin = 18
const titleHeight = 34
const width = Math.ceil(columnsMax * 8.1 + 2 * margin)
const height = titleHeight + (rowsMax + 1) * lineHeight + margin

const secondsBeforeCommand = 1.6
const secondsBeforeOutput = 0.9
const secondsPerLine = 0.16
const secondsAtEnd = 2.4

// Text that appears at one time, and stays until the screen is cleared.
interface Part {
  svg: string
  from: number
  until: number
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

// The codes that svc uses, as chalk writes them. Any other ends the one before it.
const styleByCode = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
  ['90', 'dim'],
])

// oxlint-disable-next-line no-control-regex -- The escape character is what it looks for.
const escapeCode = /\u001B\[(\d+)m/

// The text and the codes alternate.
function renderLine(line: string, row: number): string {
  let style: string | undefined
  const spans = line.split(escapeCode).map((part, index) => {
    if (index % 2 === 1) style = styleByCode.get(part)
    if (index % 2 === 1 || part === '') return ''
    return style === undefined ? escapeXml(part) : `<tspan class="${style}">${escapeXml(part)}</tspan>`
  })
  const y = titleHeight + (row + 1) * lineHeight + 4
  return `<text x="${margin}" y="${y}" xml:space="preserve">${spans.join('')}</text>`
}

const wrap = (text: string) => wrapAnsi(text, columnsMax, {hard: true, trim: false}).split('\n')
const paint = (code: number, lines: readonly string[]) => lines.map((line) => `\u001B[${code}m${line}\u001B[0m`)

// Lays the steps out on screens, each with the time at which its parts appear.
function layOut(steps: readonly ShownStep[]): {parts: Part[]; seconds: number} {
  const parts: Part[] = []
  let [now, row, open] = [0, 0, 0]
  const add = (lines: readonly string[]) => {
    parts.push({svg: lines.map((line, offset) => renderLine(line, row + offset)).join(''), from: now, until: 0})
    row += lines.length
  }
  const clear = () => {
    now += secondsAtEnd
    for (const part of parts.slice(open)) part.until = now
    ;[row, open] = [0, parts.length]
  }
  for (const [index, {title, says, commands}] of steps.entries()) {
    const heading = `svc tour · ${index + 1} of ${steps.length} · ${title}`
    const show = () =>
      parts.push({svg: `<text class="bold" x="${margin}" y="22">${escapeXml(heading)}</text>`, from: now, until: 0})
    show()
    add([...paint(2, wrap(says)), ''])
    for (const {says: remark, line, output} of commands) {
      now += secondsBeforeCommand
      const prompt = [...(remark ? paint(2, wrap(remark)) : []), ...paint(1, wrap(`$ ${line}`))]
      const printed = output === '' ? [] : wrap(output.replace(/\n$/, ''))
      if (row + prompt.length + printed.length > rowsMax) {
        clear()
        show()
      }
      add(prompt)
      now += secondsBeforeOutput
      add([...printed, ''])
      now += secondsPerLine * printed.length
    }
    clear()
  }
  return {parts, seconds: now}
}

const squeeze = (rules: string) => rules.replaceAll(/\s*([:;])\s*/g, '$1').trim()

function renderRecording(steps: readonly ShownStep[]): string {
  const {parts, seconds} = layOut(steps)
  const toPercent = (at: number) => `${Number(((at / seconds) * 100).toFixed(2))}%`
  const frames = parts.map(({from, until}, index) => {
    const hidden = from === 0 ? '' : '0%{visibility:hidden}'
    const ended = until === seconds ? '' : `${toPercent(until)}{visibility:hidden}`
    return `@keyframes t${index}{${hidden}${toPercent(from)}{visibility:visible}${ended}}.t${index}{animation-name:t${index}}`
  })
  // Readers without animation see the first screen. Pages know no cyan, in which a terminal shows what is under way.
  const firstEnd = parts[0]?.until
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">
<title id="title">svc tour</title><desc id="text">A recording of a terminal: ${escapeXml(steps.map(({title}) => title).join('; '))}.</desc>
<style>
svg{${squeeze(lightColours)}--cyan:#0550ae}
@media (prefers-color-scheme:dark){svg{${squeeze(darkColours)}--cyan:#79c0ff}}
text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--card);stroke:var(--line)}.rule{stroke:var(--line)}
.bold{font-weight:600}.dim{fill:var(--soft)}.green{fill:var(--accent)}.yellow{fill:var(--notice)}.red{fill:var(--error)}.cyan{fill:var(--cyan)}
g{visibility:hidden;animation:${Number(seconds.toFixed(2))}s step-end infinite}
.still{visibility:visible}
@media (prefers-reduced-motion:reduce){g{animation:none}}
${frames.join('\n')}
</style>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="rule" d="M0 ${titleHeight}H${width}"/>
${parts.map(({svg, until}, index) => `<g class="t${index}${until === firstEnd ? ' still' : ''}">${svg}</g>`).join('\n')}
</svg>
`
}

const steps = await playTour({
  command: [process.execPath, path.join(root, 'bin/run.js')],
  hasColours: true,
  print: async (text) => void process.stdout.write(text),
})
fs.writeFileSync(path.join(root, 'docs/tour.svg'), renderRecording(steps))
