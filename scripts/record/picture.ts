// The frame that the recorded terminal is drawn in: no script, no font of its own, light and dark after the reader's setting.
import {darkColours, lightColours} from '../../src/web/stylesheet.ts'
import {type Line, escapeXml, toTextElement} from './styled-lines.ts'

export const columnsMax = 80
const lineHeight = 19
const margin = 18
const characterWidth = 8.1
const titleHeight = 34

const squeeze = (rules: string) => rules.replaceAll(/\s*([:;])\s*/g, '$1').trim()

// Pages know no cyan, in which a terminal shows what is under way.
const styles = `
svg{${squeeze(lightColours)}--cyan:#0550ae}
@media (prefers-color-scheme:dark){svg{${squeeze(darkColours)}--cyan:#79c0ff}}
text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--card);stroke:var(--line)}.rule{stroke:var(--line)}
.bold{font-weight:600}.dim,.gray{fill:var(--soft)}.green{fill:var(--accent)}.yellow{fill:var(--notice)}.red{fill:var(--error)}.cyan{fill:var(--cyan)}
`

export const renderTitle = (text: string) => toTextElement([{text, style: 'bold'}], margin, 22)

export const renderLines = (lines: readonly Line[], row: number) =>
  lines.map((line, offset) => toTextElement(line, margin, titleHeight + (row + offset + 1) * lineHeight + 4)).join('')

export interface Picture {
  title: string
  // What somebody hears who does not see it.
  description: string
  rows: number
  // The text, as SVG.
  body: readonly string[]
  moreStyles?: string
}

export function renderPicture({title, description, rows, body, moreStyles = ''}: Picture): string {
  const width = Math.ceil(columnsMax * characterWidth + 2 * margin)
  const height = titleHeight + (rows + 1) * lineHeight + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">`,
    `<title id="title">${escapeXml(title)}</title><desc id="text">${escapeXml(description)}</desc>`,
    `<style>${styles}${moreStyles}</style>`,
    `<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<path class="rule" d="M0 ${titleHeight}H${width}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n')
}
