// Reacts to a question that was left instead of answered.
import {interrupted} from '../../errors.ts'
import type {Drafts} from './drafts.ts'
import {readNavigation} from './navigation.ts'
import {printText} from './print.ts'
import {type Answers, AskAgain} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Says where the wizard continues: at the previous step or at the same one. Throws an `interrupted` error on quitting.
export async function handleNavigation(error: unknown, {body}: Answers, {drafts}: Wizard): Promise<'back' | 'stay'> {
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
  await drafts.saveOnExit(body)
  throw interrupted()
}

// A user who leaves the prompt for the file name continues without saving.
async function saveDraft(body: Answers['body'], drafts: Drafts): Promise<void> {
  try {
    await drafts.save(body)
  } catch (error) {
    readNavigation(error)
  }
}
