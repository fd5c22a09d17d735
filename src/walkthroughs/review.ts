// The end of a conversation: everything that was said, once more, to be changed, kept, or sent.
import {interrupted} from '../errors.ts'
import {cleanText} from '../terminal/clean.ts'
import {painterFor} from '../terminal/colour.ts'
import {writeErrPainted} from '../terminal/streams.ts'
import {textOf} from '../terminal/view.ts'
import {type Conversation, answered, converse, turnedAway} from './conversation.ts'
import {valueAt} from './places.ts'
import {askOneOf} from './prompts.ts'
import {type Answers, type Question, isFork} from './questions.ts'

export interface Reviewed extends Conversation {
  // The body as it may be shown: personal data masked.
  masked: (body: Answers['body']) => Answers['body']
  // What sending it does, as a choice: "Send it for verification".
  sending: string
  // What a person should know before sending.
  remarks?: ((answers: Answers) => string[]) | undefined
}

const questionsIn = ({steps}: Conversation, answers: Answers) =>
  steps(answers).filter((step): step is Question => !isFork(step) && valueAt(answers.body, step.path) !== undefined)

async function show(answers: Answers, conversation: Reviewed, isRevealed: boolean): Promise<void> {
  const painter = await painterFor(process.stderr)
  const questions = questionsIn(conversation, answers)
  const shown = isRevealed ? answers.body : conversation.masked(answers.body)
  const width = Math.max(...questions.map(({label}) => label.length), 0)
  const valueOf = ({path, isHidden}: Question) => {
    // An ID number is never printed back whole.
    const value = isHidden ? valueAt(conversation.masked(answers.body), path) : valueAt(shown, path)
    return cleanText(textOf(value))
  }
  const lines = questions.map((each) => `  ${painter.dim(each.label.padEnd(width))}  ${valueOf(each)}\n`)
  const remarks = (conversation.remarks?.(answers) ?? []).map((remark) => `${cleanText(remark)}\n`)
  writeErrPainted(`\n${lines.join('')}${remarks.join('')}\n`)
}

type Move = 'send' | 'change' | 'reveal' | 'save' | 'leave'

function movesOf({sending}: Reviewed, isRevealed: boolean): Array<{name: string; value: Move}> {
  return [
    {name: sending, value: 'send'},
    {name: 'Change an answer', value: 'change'},
    {name: isRevealed ? 'Hide personal data' : 'Show personal data', value: 'reveal'},
    {name: 'Save as a draft', value: 'save'},
    {name: 'Leave without sending', value: 'leave'},
  ]
}

async function changed(answers: Answers, conversation: Reviewed): Promise<Answers> {
  const steps = conversation.steps(answers)
  const choices = steps.map((step) => ({name: step.label, value: step}))
  const next = await answered(await askOneOf('Which one?', choices), answers, conversation)
  // Another answer may have brought further questions.
  return conversation.steps(next).length > steps.length ? converse(next, conversation) : next
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
