// Sends the answers of a wizard. If that fails, they are saved as a draft, so that nothing typed is lost.
import {Declined, SvcError} from '../../errors.ts'
import type {Body} from '../../cli/body/assignments.ts'
import type {Drafts} from '../../cli/wizard/drafts.ts'
import {printText} from '../../cli/wizard/print.ts'

export async function sendOrSaveDraft<T>(
  send: () => Promise<T>,
  body: Body,
  drafts: Drafts,
  isQuiet = false,
): Promise<T> {
  try {
    const reply = await send()
    const file = drafts.getSavedFile()
    if (file !== undefined && !isQuiet) {
      printText(`${file} contains personal data: delete it when you no longer need it.`)
    }
    return reply
  } catch (error) {
    // A user who quits has chosen not to save. A user who declines a confirmation has not.
    const hasQuit = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    if (error instanceof SvcError && !hasQuit) await offerDraft(body, drafts)
    else await drafts.saveOnExit(body)
    throw error
  }
}

// Quitting this prompt must not hide the error that led to it.
async function offerDraft(body: Body, drafts: Drafts): Promise<void> {
  try {
    await drafts.offerToSave(body)
  } catch {
    printText('It was not saved.')
  }
}
