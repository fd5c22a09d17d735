// The end of a conversation: everything that was said, once more, to be changed, kept, or sent.
import type {Problem} from '../../contract/problems.ts'
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {writeErrUncleaned} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import {wrapText} from '../output/wrap-text.ts'
import {type Wizard, answerStep, runWizard, handleNavigation} from './wizard.ts'
import {noDrafts} from './drafts.ts'
import {getValue} from './body-paths.ts'
import {askSelect} from './prompts.ts'
import {type Answers, type Question, type Step, isFork, getStepKey} from './steps.ts'
import {lineWidth, printText} from './print.ts'

export interface ReviewedWizard extends Wizard {
  // The body as it may be shown: personal data masked. Without it there is none in the body.
  mask?: ((body: Answers['body']) => Answers['body']) | undefined
  // What sending it does, as a choice: "Send it for verification".
  sendLabel: string
  // What a person should know before sending.
  remarks?: ((answers: Answers) => string[]) | undefined
  // Lines that are shown instead of the answers one by one, where these read better together.
  summary?: ((answers: Answers) => string[]) | undefined
}

const listAnsweredQuestions = ({steps}: Wizard, answers: Answers) =>
  steps(answers).filter((step): step is Question => !isFork(step) && getValue(answers.body, step.path) !== undefined)

// Under its heading a label need not repeat it.
function shortenLabel({heading: within, label}: Step): string {
  if (within === undefined || !label.startsWith(`${within}: `)) return label
  const rest = label.slice(`${within}: `.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const margin = 2
const labelWidthMax = 34

// A label and its value beside each other, each broken where its column ends.
function renderRow(label: string, value: string, width: number, painter: Painter): string {
  const left = wrapText(label, width)
  const right = wrapText(value, lineWidth() - width - 2 * margin)
  const lines = Array.from({length: Math.max(left.length, right.length)}, (_, index) => {
    const cell = painter.dim((left[index] ?? '').padEnd(width))
    return `${' '.repeat(margin)}${cell}${' '.repeat(margin)}${right[index] ?? ''}`.trimEnd()
  })
  return lines.join('\n')
}

const isContent = (value: unknown) => typeof value === 'string' && value.startsWith('data:')

async function renderAnswers(answers: Answers, wizard: ReviewedWizard, isRevealed: boolean): Promise<string[]> {
  const painter = await createPainter(process.stderr)
  const questions = listAnsweredQuestions(wizard, answers)
  const masked = wizard.mask?.(answers.body) ?? answers.body
  const width = Math.min(
    labelWidthMax,
    Math.floor(lineWidth() / 2),
    Math.max(...questions.map((each) => shortenLabel(each).length), 0),
  )
  const valueOf = ({path, isHidden, choices = []}: Question) => {
    const value = getValue(answers.body, path)
    // An ID number is never printed back whole, and nobody reads an image as text.
    const shown = isRevealed && !isHidden && !isContent(value) ? value : getValue(masked, path)
    if (shown === true || shown === false) return shown ? 'Yes' : 'No'
    return cleanText(choices.find((choice) => choice.value === shown)?.name ?? toText(shown))
  }
  let heading: string | undefined
  return questions.flatMap((each) => {
    const begins = each.heading !== undefined && each.heading !== heading
    heading = each.heading
    return [
      ...(begins ? [painter.bold(cleanText(each.heading ?? ''))] : []),
      renderRow(shortenLabel(each), valueOf(each), width, painter),
    ]
  })
}

async function printReview(answers: Answers, wizard: ReviewedWizard, isRevealed: boolean): Promise<void> {
  const summary = wizard.summary?.(answers).map(cleanText)
  const lines = summary ?? (await renderAnswers(answers, wizard, isRevealed))
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
  for (const remark of wizard.remarks?.(answers) ?? []) printText(remark)
  writeErrUncleaned('\n')
}

type Action = 'send' | 'change' | 'reveal' | 'save' | 'leave'

function listActions(
  {sendLabel: sending, mask: masked, drafts}: ReviewedWizard,
  isRevealed: boolean,
): Array<{name: string; value: Action}> {
  const moves: Array<{name: string; value: Action}> = [
    {name: sending, value: 'send'},
    {name: 'Change an answer', value: 'change'},
    {name: isRevealed ? 'Hide personal data' : 'Show personal data', value: 'reveal'},
    {name: 'Save as a draft', value: 'save'},
    {name: 'Leave without sending', value: 'leave'},
  ]
  return moves.filter(
    ({value}) => (value !== 'reveal' || masked !== undefined) && (value !== 'save' || drafts !== noDrafts),
  )
}

const getFullLabel = (step: Step) =>
  step.heading === undefined ? step.label : `${step.heading}: ${shortenLabel(step)}`

async function changeAnswer(answers: Answers, wizard: ReviewedWizard): Promise<Answers> {
  const steps = wizard.steps(answers)
  const choices = steps.map((step) => ({name: getFullLabel(step), value: step}))
  const next = await answerStep(await askSelect('Which one?', choices), answers, wizard)
  // Another answer may have brought further questions, or taken the answer of some away.
  const had = listAnsweredQuestions(wizard, answers).map(({path}) => path)
  const lost = new Set(had.filter((path) => getValue(next.body, path) === undefined))
  return runWizard(next, wizard, new Set(steps.map(getStepKey).filter((key) => !lost.has(key))))
}

// In the words of the question, where one was asked.
function describeProblem({path, message}: Problem, answers: Answers, {steps}: Wizard): string {
  const step = steps(answers).find((each) => getStepKey(each) === path)
  return `${step ? getFullLabel(step) : path} ${message}: change it before sending.`
}

async function leave({body}: Answers, {drafts}: Wizard): Promise<never> {
  await drafts.saveOnExit(body)
  throw interrupted()
}

// Returns the answers when the person says to send them.
export async function reviewAnswers(start: Answers, wizard: ReviewedWizard): Promise<Answers> {
  let answers = start
  let isRevealed = false
  for (;;) {
    await printReview(answers, wizard, isRevealed)
    // What is wrong in what is sent as a whole, such as a postal code of the country that was named before.
    const [problem] = wizard.validate(answers.body)
    if (problem) printText(describeProblem(problem, answers, wizard))
    const moves = listActions(wizard, isRevealed).filter(({value}) => !problem || value !== 'send')
    try {
      const move = await askSelect('What now?', moves)
      if (move === 'send') return answers
      if (move === 'reveal') isRevealed = !isRevealed
      else if (move === 'save') await wizard.drafts.save(answers.body)
      else if (move === 'change') answers = await changeAnswer(answers, wizard)
      else await leave(answers, wizard)
    } catch (error) {
      await handleNavigation(error, answers, wizard)
    }
  }
}
