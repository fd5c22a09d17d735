// The review at the end of a wizard: shows all answers, which can then be changed or sent.
import type {Problem} from '../../contract/problems.ts'
import {Declined, SvcError, interrupted} from '../../errors.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {cleanText} from '../output/clean.ts'
import {writeErrUncleaned} from '../output/streams.ts'
import {printItem, printText} from './print.ts'
import {getFullLabel, listAnsweredQuestions, renderAnswers} from './render-answers.ts'
import {answerStep, handleLeaving, leaveWizard, runWizard} from './run-wizard.ts'
import {askSelect} from '../prompts/ask.ts'
import {type Answers, type Step, getStepKey} from './steps.ts'
import type {Objection, ReviewedWizard, Wizard} from './wizard.ts'

async function printReview(answers: Answers, wizard: ReviewedWizard, isRevealed: boolean): Promise<void> {
  const summary = wizard.summary?.(answers).map(cleanText)
  const lines = summary ?? (await renderAnswers(answers, wizard, isRevealed))
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
  for (const remark of wizard.remarks?.(answers) ?? []) printText(remark)
  writeErrUncleaned('\n')
}

type Action = 'send' | 'change' | 'reveal' | 'quit' | {correct: Step}

// What the service is known to refuse is corrected first, so that Enter does not send it.
function listActions(
  {sendLabel, mask}: ReviewedWizard,
  isRevealed: boolean,
  objections: readonly Objection[],
): Array<{name: string; value: Action}> {
  const steps = new Set(objections.flatMap(({step}) => step ?? []))
  const actions: Array<{name: string; value: Action}> = [
    ...[...steps].map((step) => ({name: `Go back to ${getFullLabel(step)}`, value: {correct: step}})),
    {name: objections.length > 0 ? `${sendLabel}, all the same` : sendLabel, value: 'send'},
    {name: 'Change an answer', value: 'change'},
    {name: isRevealed ? 'Mask the numbers' : 'Show all', value: 'reveal'},
    {name: 'Quit without sending', value: 'quit'},
  ]
  return actions.filter(({value}) => value !== 'reveal' || mask !== undefined)
}

function askStepToChange(answers: Answers, wizard: ReviewedWizard): Promise<Step> {
  const choices = wizard.steps(answers).map((step) => ({name: getFullLabel(step), value: step}))
  return askSelect('Which answer?', choices)
}

// Asks one answer again, and then the steps that it added or whose answers it removed.
async function changeAnswer(step: Step, answers: Answers, wizard: ReviewedWizard): Promise<Answers> {
  const steps = wizard.steps(answers)
  const next = await answerStep(step, answers, wizard)
  const pathsBefore = listAnsweredQuestions(wizard, answers).map(({path}) => path)
  const removed = new Set(pathsBefore.filter((path) => getValue(next.body, path) === undefined))
  return runWizard(next, wizard, new Set(steps.map(getStepKey).filter((key) => !removed.has(key))))
}

// Names the field by the label of its question, if there is one.
function describeProblem({path, message}: Problem, answers: Answers, {steps}: Wizard): string {
  const step = steps(answers).find((each) => getStepKey(each) === path)
  return `${step ? getFullLabel(step) : path} ${message}`
}

function printObjections(objections: readonly Objection[]): void {
  if (objections.length === 0) return
  printText('Verification is known to refuse this:')
  for (const {message, step} of objections) printItem(`${step ? `${getFullLabel(step)}: ` : ''}${message}`)
  printText('')
}

// Returns the answers when the user chooses to send them.
export async function reviewAnswers(start: Answers, wizard: ReviewedWizard): Promise<Answers> {
  let answers = start
  let isRevealed = false
  for (;;) {
    wizard.draft?.save(answers)
    await printReview(answers, wizard, isRevealed)
    // Each answer was valid when it was given, but a later one may conflict with it, such as a country with a postal code.
    const problems = wizard.validate(answers.body)
    const problem = problems.find(({isWarning}) => !isWarning)
    if (problem) printText(`${describeProblem(problem, answers, wizard)}: change it before sending.`)
    const objections = problem ? [] : (wizard.objections?.(answers) ?? [])
    for (const each of problems) {
      // What verification refuses is said once, with the reason for the refusal.
      const isObjection = objections.some(({step}) => step && getStepKey(step) === each.path)
      if (each.isWarning && !isObjection) printText(`Warning: ${describeProblem(each, answers, wizard)}.`)
    }
    printObjections(objections)
    const actions = listActions(wizard, isRevealed, objections).filter(({value}) => !problem || value !== 'send')
    try {
      const action = await askSelect<Action>('What now?', actions)
      if (action === 'send') return answers
      if (typeof action === 'object') answers = await changeAnswer(action.correct, answers, wizard)
      else if (action === 'reveal') isRevealed = !isRevealed
      else if (action === 'change')
        answers = await changeAnswer(await askStepToChange(answers, wizard), answers, wizard)
      else leaveWizard(wizard)
    } catch (error) {
      handleLeaving(error, wizard)
    }
  }
}

// Sends the answers of a wizard. If the service rejects them, nothing was created, so they are reviewed and sent again.
export type Send<T> = (body: Body) => Promise<T>

const isRejected = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'refused'

export async function sendOrRevise<T>(start: Answers, wizard: ReviewedWizard, send: Send<T>): Promise<T> {
  for (let answers = start; ;) {
    try {
      return await send(answers.body)
    } catch (error) {
      if (error instanceof Declined) answers = await reviewAnswers(answers, wizard)
      else if (isRejected(error)) answers = await reviseAnswers(answers, wizard, `${error.message}.`)
      else throw error
    }
  }
}

// Shows the service's reason below the answers.
function reviseAnswers(start: Answers, wizard: ReviewedWizard, reason: string): Promise<Answers> {
  const remarks = (answers: Answers) => [...(wizard.remarks?.(answers) ?? []), reason]
  return interruptAfterRejection(() => reviewAnswers(start, {...wizard, remarks}))
}

// Quitting after a rejection must not report that nothing was sent.
export async function interruptAfterRejection<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof SvcError && error.kind === 'interrupted'
      ? interrupted('Stopped; nothing was created or changed')
      : error
  }
}
