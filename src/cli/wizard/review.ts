// The review at the end of a wizard: shows all answers, which can then be changed, saved or sent.
import type {Problem} from '../../contract/problems.ts'
import {cleanText} from '../output/clean.ts'
import {writeErrUncleaned} from '../output/streams.ts'
import {getValue} from './body-paths.ts'
import {noDrafts} from './drafts.ts'
import {handleNavigation, leaveWizard} from './handle-navigation.ts'
import {printText} from './print.ts'
import {getFullLabel, listAnsweredQuestions, renderAnswers} from './render-answers.ts'
import {answerStep, runWizard} from './run-wizard.ts'
import {askSelect} from './select-prompts.ts'
import {type Answers, getStepKey} from './steps.ts'
import type {ReviewedWizard, Wizard} from './wizard.ts'

async function printReview(answers: Answers, wizard: ReviewedWizard, isRevealed: boolean): Promise<void> {
  const summary = wizard.summary?.(answers).map(cleanText)
  const lines = summary ?? (await renderAnswers(answers, wizard, isRevealed))
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
  for (const remark of wizard.remarks?.(answers) ?? []) printText(remark)
  writeErrUncleaned('\n')
}

type Action = 'send' | 'change' | 'reveal' | 'save' | 'quit'

function listActions(
  {sendLabel, mask, drafts}: ReviewedWizard,
  isRevealed: boolean,
): Array<{name: string; value: Action}> {
  const actions: Array<{name: string; value: Action}> = [
    {name: sendLabel, value: 'send'},
    {name: 'Change an answer', value: 'change'},
    {name: isRevealed ? 'Hide personal data' : 'Show personal data', value: 'reveal'},
    {name: 'Save as a draft', value: 'save'},
    {name: 'Quit without sending', value: 'quit'},
  ]
  return actions.filter(
    ({value}) => (value !== 'reveal' || mask !== undefined) && (value !== 'save' || drafts !== noDrafts),
  )
}

// Asks one answer again, and then the steps that it added or whose answers it removed.
async function changeAnswer(answers: Answers, wizard: ReviewedWizard): Promise<Answers> {
  const steps = wizard.steps(answers)
  const choices = steps.map((step) => ({name: getFullLabel(step), value: step}))
  const next = await answerStep(await askSelect('Which answer?', choices), answers, wizard)
  const pathsBefore = listAnsweredQuestions(wizard, answers).map(({path}) => path)
  const removed = new Set(pathsBefore.filter((path) => getValue(next.body, path) === undefined))
  return runWizard(next, wizard, new Set(steps.map(getStepKey).filter((key) => !removed.has(key))))
}

// Names the field by the label of its question, if there is one.
function describeProblem({path, message}: Problem, answers: Answers, {steps}: Wizard): string {
  const step = steps(answers).find((each) => getStepKey(each) === path)
  return `${step ? getFullLabel(step) : path} ${message}`
}

// Returns the answers when the user chooses to send them.
export async function reviewAnswers(start: Answers, wizard: ReviewedWizard): Promise<Answers> {
  let answers = start
  let isRevealed = false
  for (;;) {
    wizard.keeper?.keep(answers, undefined)
    await printReview(answers, wizard, isRevealed)
    // Each answer was valid when it was given, but a later one may conflict with it, such as a country with a postal code.
    const problems = wizard.validate(answers.body)
    const problem = problems.find(({isWarning}) => !isWarning)
    if (problem) printText(`${describeProblem(problem, answers, wizard)}: change it before sending.`)
    for (const each of problems) {
      if (each.isWarning) printText(`Warning: ${describeProblem(each, answers, wizard)}.`)
    }
    const actions = listActions(wizard, isRevealed).filter(({value}) => !problem || value !== 'send')
    try {
      const action = await askSelect('What now?', actions)
      if (action === 'send') return answers
      if (action === 'reveal') isRevealed = !isRevealed
      else if (action === 'save') await wizard.drafts.save(answers.body)
      else if (action === 'change') answers = await changeAnswer(answers, wizard)
      else await leaveWizard(answers.body, wizard)
    } catch (error) {
      await handleNavigation(error, answers, wizard)
    }
  }
}
