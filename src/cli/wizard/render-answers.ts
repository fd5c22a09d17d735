// Renders the answers of a wizard for its review: a heading per section, a line per answer.
import {cleanText} from '../output/clean.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {toText} from '../output/view.ts'
import {wrapText} from '../output/wrap-text.ts'
import {getValue} from './body-paths.ts'
import {lineWidth} from './print.ts'
import {type Answers, type Question, type Step, isFork} from './steps.ts'
import type {ReviewedWizard, Wizard} from './wizard.ts'

export const listAnsweredQuestions = ({steps}: Wizard, answers: Answers) =>
  steps(answers).filter((step): step is Question => !isFork(step) && getValue(answers.body, step.path) !== undefined)

// Removes the heading from a label that repeats it.
function shortenLabel({heading, label}: Step): string {
  if (heading === undefined || !label.startsWith(`${heading}: `)) return label
  const rest = label.slice(`${heading}: `.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

export const getFullLabel = (step: Step) =>
  step.heading === undefined ? step.label : `${step.heading}: ${shortenLabel(step)}`

const margin = 2
const labelWidthMax = 34

function measureLabels(questions: readonly Question[]): number {
  const longest = Math.max(...questions.map((each) => shortenLabel(each).length), 0)
  return Math.min(labelWidthMax, Math.floor(lineWidth() / 2), longest)
}

// Renders a label and its value side by side, each wrapped within its column.
function renderRow(label: string, value: string, labelWidth: number, painter: Painter): string {
  const left = wrapText(label, labelWidth)
  const right = wrapText(value, lineWidth() - labelWidth - 2 * margin)
  const lines = Array.from({length: Math.max(left.length, right.length)}, (_, index) => {
    const cell = painter.dim((left[index] ?? '').padEnd(labelWidth))
    return `${' '.repeat(margin)}${cell}${' '.repeat(margin)}${right[index] ?? ''}`.trimEnd()
  })
  return lines.join('\n')
}

const isDataUri = (value: unknown) => typeof value === 'string' && value.startsWith('data:')

function renderValue(
  {path, isHidden, choices = []}: Question,
  body: Answers['body'],
  masked: Answers['body'],
  isRevealed: boolean,
): string {
  const value = getValue(body, path)
  // ID numbers stay masked even when personal data is shown, and images are never printed.
  const shown = isRevealed && !isHidden && !isDataUri(value) ? value : getValue(masked, path)
  if (shown === true || shown === false) return shown ? 'Yes' : 'No'
  return cleanText(choices.find((choice) => choice.value === shown)?.name ?? toText(shown))
}

export async function renderAnswers(answers: Answers, wizard: ReviewedWizard, isRevealed: boolean): Promise<string[]> {
  const {body} = answers
  const painter = await createPainter(process.stderr)
  const questions = listAnsweredQuestions(wizard, answers)
  const masked = wizard.mask?.(body) ?? body
  const labelWidth = measureLabels(questions)
  return questions.flatMap((question, index) => {
    const {heading} = question
    const isNewSection = heading !== undefined && heading !== questions[index - 1]?.heading
    const value = renderValue(question, body, masked, isRevealed)
    return [
      ...(isNewSection ? [painter.bold(cleanText(heading))] : []),
      renderRow(shortenLabel(question), value, labelWidth, painter),
    ]
  })
}
