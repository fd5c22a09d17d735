// Renders the answers of a wizard for its review: a heading per section, a line per answer. Numbers that identify somebody
// are masked to their last characters.
import path from 'node:path'
import {cleanText} from '../output/clean.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {toText} from '../output/view.ts'
import {wrapText} from '../output/wrap-text.ts'
import {getValue} from '../../values/body-paths.ts'
import {lineWidth} from './print.ts'
import {type Answers, type Question, type Step, isChecklist, isQuestion} from './steps.ts'
import type {ReviewedWizard, Wizard} from './wizard.ts'
import {capitalize} from '../../values/text.ts'

// The facts of a checklist are shown as questions of their own.
const toQuestions = (step: Step): Question[] => {
  if (isQuestion(step)) return [step]
  if (!isChecklist(step)) return []
  const {heading} = step
  return step.items.flatMap(({name, fact}) =>
    fact === undefined
      ? []
      : [{path: fact, label: capitalize(name), heading, kind: 'yes-no', isRequired: true} as const],
  )
}

export const listAnsweredQuestions = ({steps}: Wizard, answers: Answers): Question[] =>
  steps(answers)
    .flatMap(toQuestions)
    .filter((question) => getValue(answers.body, question.path) !== undefined)

// Removes the heading from a label that repeats it.
function shortenLabel({heading, label}: Step): string {
  if (heading === undefined || !label.startsWith(`${heading}: `)) return label
  const rest = label.slice(`${heading}: `.length)
  return capitalize(rest)
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

// A file in the working folder or below it is named from there.
function shortenPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') ? path.basename(file) : relative
}

function renderValue(
  {path: valuePath, isHidden, isMasked, isFile, choices = []}: Question,
  body: Answers['body'],
  masked: Answers['body'],
  isRevealed: boolean,
): string {
  const value = getValue(body, valuePath)
  if (value === true || value === false) return value ? 'Yes' : 'No'
  // The content of a file is never printed.
  if (isDataUri(value)) return cleanText(toText(getValue(masked, valuePath)))
  const toName = (each: unknown) => choices.find((choice) => choice.value === each)?.name ?? toText(each)
  const text = cleanText(Array.isArray(value) ? value.map(toName).join(', ') : toName(value))
  if (isRevealed) return text
  if (isHidden || isMasked) return maskNumber(text)
  return isFile ? shortenPath(text) : text
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

// Masks an id or a number to its last characters, so that it can be recognised and not copied.
const visibleMax = 4
const dot = '•'

// At most half of it stays readable. What separates the digits stays.
function maskNumber(text: string): string {
  const isMasked = (letter: string) => /[\p{L}\p{N}]/u.test(letter)
  const letters = Array.from(text)
  const count = letters.filter(isMasked).length
  let hidden = count - Math.min(visibleMax, Math.floor(count / 2))
  return letters.map((letter) => (isMasked(letter) && hidden-- > 0 ? dot : letter)).join('')
}
