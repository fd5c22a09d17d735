// The end of a conversation: everything that was said, once more, to be changed, kept, or sent.
import type {Problem} from '../../contract/problems.ts'
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import {type Painter, createPainter} from '../output/colour.ts'
import {writeErrUncleaned} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import {wrapText} from '../output/wrap-text.ts'
import {type Conversation, answered, converse, turnedAway} from './wizard.ts'
import {keptNowhere} from './drafts.ts'
import {valueAt} from './paths.ts'
import {askOneOf} from './prompts.ts'
import {type Answers, type Question, type Step, isFork, keyOf} from './questions.ts'
import {lineWidth, say} from './print.ts'

export interface Reviewed extends Conversation {
  // The body as it may be shown: personal data masked. Without it there is none in the body.
  masked?: ((body: Answers['body']) => Answers['body']) | undefined
  // What sending it does, as a choice: "Send it for verification".
  sending: string
  // What a person should know before sending.
  remarks?: ((answers: Answers) => string[]) | undefined
  // Lines that are shown instead of the answers one by one, where these read better together.
  summary?: ((answers: Answers) => string[]) | undefined
}

const questionsIn = ({steps}: Conversation, answers: Answers) =>
  steps(answers).filter((step): step is Question => !isFork(step) && valueAt(answers.body, step.path) !== undefined)

// Under its heading a label need not repeat it.
function labelOf({within, label}: Step): string {
  if (within === undefined || !label.startsWith(`${within}: `)) return label
  const rest = label.slice(`${within}: `.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const margin = 2
const labelWidthMax = 34

// A label and its value beside each other, each broken where its column ends.
function rowOf(label: string, value: string, width: number, painter: Painter): string {
  const left = wrapText(label, width)
  const right = wrapText(value, lineWidth() - width - 2 * margin)
  const lines = Array.from({length: Math.max(left.length, right.length)}, (_, index) => {
    const cell = painter.dim((left[index] ?? '').padEnd(width))
    return `${' '.repeat(margin)}${cell}${' '.repeat(margin)}${right[index] ?? ''}`.trimEnd()
  })
  return lines.join('\n')
}

const isContent = (value: unknown) => typeof value === 'string' && value.startsWith('data:')

async function answersShown(answers: Answers, conversation: Reviewed, isRevealed: boolean): Promise<string[]> {
  const painter = await createPainter(process.stderr)
  const questions = questionsIn(conversation, answers)
  const masked = conversation.masked?.(answers.body) ?? answers.body
  const width = Math.min(
    labelWidthMax,
    Math.floor(lineWidth() / 2),
    Math.max(...questions.map((each) => labelOf(each).length), 0),
  )
  const valueOf = ({path, isHidden, choices = []}: Question) => {
    const value = valueAt(answers.body, path)
    // An ID number is never printed back whole, and nobody reads an image as text.
    const shown = isRevealed && !isHidden && !isContent(value) ? value : valueAt(masked, path)
    if (shown === true || shown === false) return shown ? 'Yes' : 'No'
    return cleanText(choices.find((choice) => choice.value === shown)?.name ?? toText(shown))
  }
  let heading: string | undefined
  return questions.flatMap((each) => {
    const begins = each.within !== undefined && each.within !== heading
    heading = each.within
    return [
      ...(begins ? [painter.bold(cleanText(each.within ?? ''))] : []),
      rowOf(labelOf(each), valueOf(each), width, painter),
    ]
  })
}

async function show(answers: Answers, conversation: Reviewed, isRevealed: boolean): Promise<void> {
  const summary = conversation.summary?.(answers).map(cleanText)
  const lines = summary ?? (await answersShown(answers, conversation, isRevealed))
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
  for (const remark of conversation.remarks?.(answers) ?? []) say(remark)
  writeErrUncleaned('\n')
}

type Move = 'send' | 'change' | 'reveal' | 'save' | 'leave'

function movesOf({sending, masked, drafts}: Reviewed, isRevealed: boolean): Array<{name: string; value: Move}> {
  const moves: Array<{name: string; value: Move}> = [
    {name: sending, value: 'send'},
    {name: 'Change an answer', value: 'change'},
    {name: isRevealed ? 'Hide personal data' : 'Show personal data', value: 'reveal'},
    {name: 'Save as a draft', value: 'save'},
    {name: 'Leave without sending', value: 'leave'},
  ]
  return moves.filter(
    ({value}) => (value !== 'reveal' || masked !== undefined) && (value !== 'save' || drafts !== keptNowhere),
  )
}

const nameOf = (step: Step) => (step.within === undefined ? step.label : `${step.within}: ${labelOf(step)}`)

async function changed(answers: Answers, conversation: Reviewed): Promise<Answers> {
  const steps = conversation.steps(answers)
  const choices = steps.map((step) => ({name: nameOf(step), value: step}))
  const next = await answered(await askOneOf('Which one?', choices), answers, conversation)
  // Another answer may have brought further questions, or taken the answer of some away.
  const had = questionsIn(conversation, answers).map(({path}) => path)
  const lost = new Set(had.filter((path) => valueAt(next.body, path) === undefined))
  return converse(next, conversation, new Set(steps.map(keyOf).filter((key) => !lost.has(key))))
}

// In the words of the question, where one was asked.
function problemInWords({path, message}: Problem, answers: Answers, {steps}: Conversation): string {
  const step = steps(answers).find((each) => keyOf(each) === path)
  return `${step ? nameOf(step) : path} ${message}: change it before sending.`
}

async function leave({body}: Answers, {drafts}: Conversation): Promise<never> {
  await drafts.leave(body)
  throw interrupted()
}

// Returns the answers when the person says to send them.
export async function reviewed(start: Answers, conversation: Reviewed): Promise<Answers> {
  let answers = start
  let isRevealed = false
  for (;;) {
    await show(answers, conversation, isRevealed)
    // What is wrong in what is sent as a whole, such as a postal code of the country that was named before.
    const [problem] = conversation.problems(answers.body)
    if (problem) say(problemInWords(problem, answers, conversation))
    const moves = movesOf(conversation, isRevealed).filter(({value}) => !problem || value !== 'send')
    try {
      const move = await askOneOf('What now?', moves)
      if (move === 'send') return answers
      if (move === 'reveal') isRevealed = !isRevealed
      else if (move === 'save') await conversation.drafts.save(answers.body)
      else if (move === 'change') answers = await changed(answers, conversation)
      else await leave(answers, conversation)
    } catch (error) {
      await turnedAway(error, answers, conversation)
    }
  }
}
