// The end of a conversation: everything that was said, once more, to be changed, kept, or sent.
import {interrupted} from '../errors.ts'
import {cleanText} from '../terminal/clean.ts'
import {painterFor} from '../terminal/colour.ts'
import {writeErrPainted} from '../terminal/streams.ts'
import {textOf} from '../terminal/view.ts'
import {type Conversation, answered, converse, isAnswered, turnedAway} from './conversation.ts'
import {keptNowhere} from './drafts.ts'
import {valueAt} from './places.ts'
import {askOneOf} from './prompts.ts'
import {type Answers, type Question, type Step, isFork} from './questions.ts'

export interface Reviewed extends Conversation {
  // The body as it may be shown: personal data masked. Without it there is none in the body.
  masked?: ((body: Answers['body']) => Answers['body']) | undefined
  // What sending it does, as a choice: "Send it for verification".
  sending: string
  // What a person should know before sending.
  remarks?: ((answers: Answers) => string[]) | undefined
  // Shown instead of the answers one by one, where they read better together: lines for a terminal of this width.
  summary?: ((answers: Answers, width: number) => string[]) | undefined
}

const widthDefault = 80

const questionsIn = ({steps}: Conversation, answers: Answers) =>
  steps(answers).filter((step): step is Question => !isFork(step) && valueAt(answers.body, step.path) !== undefined)

async function answersShown(answers: Answers, conversation: Reviewed, isRevealed: boolean): Promise<string[]> {
  const painter = await painterFor(process.stderr)
  const questions = questionsIn(conversation, answers)
  const masked = conversation.masked?.(answers.body) ?? answers.body
  const shown = isRevealed ? answers.body : masked
  const width = Math.max(...questions.map(({label}) => label.length), 0)
  const valueOf = ({path, isHidden, shown: inWords}: Question) => {
    // An ID number is never printed back whole.
    const value = valueAt(isHidden ? masked : shown, path)
    return cleanText(inWords?.(value) ?? textOf(value))
  }
  return questions.map((each) => `  ${painter.dim(each.label.padEnd(width))}  ${valueOf(each)}\n`)
}

async function show(answers: Answers, conversation: Reviewed, isRevealed: boolean): Promise<void> {
  const summary = conversation.summary?.(answers, process.stderr.columns || widthDefault)
  const lines =
    summary?.map((line) => `${cleanText(line)}\n`) ?? (await answersShown(answers, conversation, isRevealed))
  const remarks = (conversation.remarks?.(answers) ?? []).map((remark) => `${cleanText(remark)}\n`)
  writeErrPainted(`\n${lines.join('')}${remarks.join('')}\n`)
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

const isOpen = (step: Step, answers: Answers) => !isFork(step) && step.isRequired && !isAnswered(step, answers)

async function changed(answers: Answers, conversation: Reviewed): Promise<Answers> {
  const steps = conversation.steps(answers)
  const choices = steps.map((step) => ({name: step.label, value: step}))
  const next = await answered(await askOneOf('Which one?', choices), answers, conversation)
  // Another answer may have brought further questions, or taken away what others rested on.
  const stepsNow = conversation.steps(next)
  const isMore = stepsNow.length > steps.length || stepsNow.some((step) => isOpen(step, next))
  return isMore ? converse(next, conversation) : next
}

// What is wrong in what is sent as a whole, such as a postal code of the country that was named before.
const wrongIn = ({body}: Answers, {problems}: Conversation) => problems(body)[0]

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
    const problem = wrongIn(answers, conversation)
    if (problem) writeErrPainted(`${cleanText(`${problem.path} ${problem.message}`)}: change it before sending.\n`)
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
