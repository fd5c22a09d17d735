// Reacts to a question that was left instead of answered.
import {interrupted} from '../../errors.ts'
import type {Choice} from './choices.ts'
import type {Drafts} from './drafts.ts'
import type {Keeper} from './keep-answers.ts'
import {NavigationRequest, readNavigation} from './navigation.ts'
import {printText} from './print.ts'
import {askSelect} from './select-prompts.ts'
import {type Answers, AskAgain} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Says where the wizard continues: at the previous step or at the same one. Throws an `interrupted` error on quitting.
export async function handleNavigation(
  error: unknown,
  {body}: Answers,
  {drafts, keeper}: Wizard,
): Promise<'back' | 'stay'> {
  if (error instanceof AskAgain) {
    printText(error.message)
    return 'stay'
  }
  const navigation = readNavigation(error)
  if (navigation === 'back') return 'back'
  if (navigation === 'save') {
    await saveDraft(body, drafts)
    return 'stay'
  }
  // Esc is pressed by accident, Ctrl-C is not: the one asks, the other says how to go on.
  const isEscape = error instanceof NavigationRequest
  const leaving = isEscape && keeper?.hasAnswers() ? await askLeaving(keeper) : 'leave'
  if (leaving === 'stay') return 'stay'
  if (leaving === 'delete') return deleteAnswers({drafts, keeper})
  return leaveWizard(body, {drafts, keeper})
}

// Ends the wizard. The answers stay where they are kept.
export async function leaveWizard(
  body: Answers['body'],
  {drafts, keeper}: Pick<Wizard, 'drafts' | 'keeper'>,
): Promise<never> {
  await drafts.saveOnExit(body, {hasAnswers: keeper?.hasAnswers() ?? true})
  const hint = keeper?.describeContinuation()
  if (hint !== undefined) printText(`${hint}.`)
  keeper?.release()
  throw interrupted()
}

// Nothing is saved any more. A file that was saved before belongs to the user.
function deleteAnswers({drafts, keeper}: Pick<Wizard, 'drafts' | 'keeper'>): never {
  keeper?.discard()
  const file = drafts.getSavedFile()
  if (file !== undefined) printText(`The answers are deleted. ${file} stays as it was.`)
  throw interrupted()
}

type Leaving = 'stay' | 'leave' | 'delete'

// Esc once more goes on with the questions.
async function askLeaving(keeper: Keeper): Promise<Leaving> {
  const stops: Array<Choice<Leaving>> = keeper.isKept()
    ? [
        {name: `Stop, and go on later: \`${keeper.command}\` offers these answers`, short: 'stop', value: 'leave'},
        {name: 'Stop, and delete the answers', short: 'stop, answers deleted', value: 'delete'},
      ]
    : [{name: 'Stop; the answers are lost', value: 'leave'}]
  try {
    return await askSelect<Leaving>('Stop here?', [{name: 'No, go on', value: 'stay'}, ...stops])
  } catch (error) {
    readNavigation(error)
    return error instanceof NavigationRequest ? 'stay' : 'leave'
  }
}

// A user who leaves the prompt for the file name continues without saving.
async function saveDraft(body: Answers['body'], drafts: Drafts): Promise<void> {
  try {
    await drafts.save(body)
  } catch (error) {
    readNavigation(error)
  }
}
