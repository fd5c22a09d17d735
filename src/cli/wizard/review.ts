// The review at the end of a wizard: shows all answers, which can then be changed or sent. Numbers that identify somebody are masked
// to their last characters.
import path from 'node:path'
import type {Problem} from '../../contract/problems.ts'
import {Declined, SvcError, interrupted} from '../../errors.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {capitalize} from '../../values/text.ts'
import {measureLabels, renderRow} from '../output/box.ts'
import {cleanText} from '../output/clean.ts'
import {createPainter} from '../output/colour.ts'
import {lineWidth, writeErrUncleaned} from '../output/streams.ts'
import {toText} from '../output/view.ts'
import {askSelect} from '../prompts/ask.ts'
import {askForm, handleLeaving, leaveForm} from './ask-form.ts'
import {printText} from './print.ts'
import {type Question, type ReviewedForm, completeBody, isUnsent} from './question.ts'

const isShown = ({path: at}: Question, body: Body) => getValue(body, at) !== undefined && !isUnsent(at)

// Removes the heading from a label that repeats it.
function shortenLabel({heading, label}: Question): string {
  return heading !== undefined && label.startsWith(`${heading}: `) ? capitalize(label.slice(heading.length + 2)) : label
}

const getFullLabel = (question: Question) =>
  question.heading === undefined ? question.label : `${question.heading}: ${shortenLabel(question)}`

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

function renderValue(question: Question, body: Body, masked: Body): string {
  const {path: valuePath, isHidden, isMasked, isFile, choices = []} = question
  const value = getValue(body, valuePath)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  // The content of a file is never printed.
  if (typeof value === 'string' && value.startsWith('data:')) return cleanText(toText(getValue(masked, valuePath)))
  const toName = (each: unknown) => choices.find((choice) => choice.value === each)?.name ?? toText(each)
  const text = cleanText(Array.isArray(value) ? value.map(toName).join(', ') : toName(value))
  if (isHidden || isMasked) return maskNumber(text)
  return isFile ? path.basename(text) : text
}

const margin = '  '

// With what follows from the answers, such as the address of an owner who lives where another one does.
async function renderAnswers(answers: Body, form: ReviewedForm): Promise<string[]> {
  const {questions, mask, complete} = form
  const body = complete?.(answers) ?? answers
  const masked = mask?.(body) ?? body
  const painter = await createPainter(process.stderr)
  const shown = questions(body).filter((question) => isShown(question, body))
  const rows = shown.map((question) => ({
    label: shortenLabel(question),
    lines: [{text: renderValue(question, body, masked)}],
  }))
  const width = lineWidth() - margin.length
  const labelWidth = measureLabels(rows, width)
  return rows.flatMap((row, index) => {
    const heading = shown[index]?.heading
    const isNewSection = heading !== undefined && heading !== shown[index - 1]?.heading
    return [
      ...(isNewSection ? [painter.bold(cleanText(heading))] : []),
      ...renderRow(row, labelWidth, width, painter).map((line) => margin + line),
    ]
  })
}

async function printReview(body: Body, form: ReviewedForm): Promise<void> {
  const lines = await renderAnswers(body, form)
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
  for (const remark of form.remarks?.(body) ?? []) printText(remark)
  writeErrUncleaned('\n')
}

type Action = 'send' | 'change' | 'quit' | Question

function askWhatToChange(body: Body, {questions}: ReviewedForm): Promise<Question> {
  const choices = questions(body)
    .filter(({isSettled}) => !isSettled)
    .map((question) => ({name: getFullLabel(question), value: question}))
  return askSelect('Which answer?', choices)
}

const listPaths = (body: Body, {questions}: ReviewedForm) => new Set(questions(body).map(({path: each}) => each))

// Asks one question again, and then those that its answer added or whose answers it removed.
function changeAnswer(question: Question, body: Body, form: ReviewedForm): Promise<Body> {
  const others = listPaths(body, form)
  others.delete(question.path)
  return askForm(body, form, others, {canReturn: true})
}

// Prints what speaks against sending the answers, and returns what can be done with them. What the service is known to refuse is
// corrected first, so that Enter does not send it.
function judge(body: Body, form: ReviewedForm): Array<{name: string; value: Action}> {
  const asked = form.questions(body)
  const findQuestion = ({path: at}: Problem) => asked.find((each) => each.path === at)
  const describe = (problem: Problem) => {
    const question = findQuestion(problem)
    return `${question ? getFullLabel(question) : problem.path} ${problem.message}`
  }
  // Each answer was valid when it was given, but a later one may conflict with it, such as a country with a postal code.
  const problems = form.validate(completeBody(body, form))
  const wrong = problems.find(({isWarning}) => !isWarning)
  if (wrong) printText(`${describe(wrong)}: change it before sending.`)
  const refusals = wrong ? [] : (form.findRefusals?.(body) ?? [])
  // What verification refuses is said once, with the reason for the refusal.
  const isRefused = ({path: at}: Problem) => refusals.some((refusal) => refusal.path === at)
  const warnings = problems.filter((problem) => problem.isWarning && !isRefused(problem))
  for (const warning of [...warnings, ...refusals]) printText(`Warning: ${describe(warning)}.`)
  const refused = new Set(refusals.map(findQuestion).filter((question) => question !== undefined))
  const send = refusals.length > 0 ? `${form.sendLabel}, all the same` : form.sendLabel
  return [
    ...[...refused].map((value) => ({name: `Go back to ${getFullLabel(value)}`, value})),
    ...(wrong ? [] : [{name: send, value: 'send' as const}]),
    {name: 'Change an answer', value: 'change'},
    {name: 'Quit without sending', value: 'quit'},
  ]
}

// Returns the answers when the user chooses to send them.
export async function reviewAnswers(start: Body, form: ReviewedForm): Promise<Body> {
  let body = start
  for (;;) {
    form.draft?.save(body, listPaths(body, form))
    await printReview(body, form)
    const actions = judge(body, form)
    try {
      const action = await askSelect<Action>('What now?', actions)
      if (action === 'send') return body
      if (action === 'quit') leaveForm(form)
      body = await changeAnswer(action === 'change' ? await askWhatToChange(body, form) : action, body, form)
    } catch (error) {
      handleLeaving(error, form)
    }
  }
}

// Sends the answers of a wizard. If the service rejects them, nothing was created, so they are reviewed and sent again.
export type Send<T> = (body: Body) => Promise<T>

const isRejected = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'refused'

export async function sendOrRevise<T>(start: Body, form: ReviewedForm, send: Send<T>): Promise<T> {
  for (let body = start; ;) {
    try {
      return await send(completeBody(body, form))
    } catch (error) {
      if (error instanceof Declined) body = await reviewAnswers(body, form)
      else if (isRejected(error)) body = await reviseAnswers(body, form, `${error.message}.`)
      else throw error
    }
  }
}

// Shows the service's reason below the answers.
function reviseAnswers(start: Body, form: ReviewedForm, reason: string): Promise<Body> {
  const remarks = (body: Body) => [...(form.remarks?.(body) ?? []), reason]
  return reviewAnswers(start, {...form, remarks}).catch((error: unknown) => {
    // Quitting after a rejection must not report that nothing was sent.
    if (!(error instanceof SvcError) || error.kind !== 'interrupted') throw error
    throw interrupted('Stopped; nothing was created or changed')
  })
}
