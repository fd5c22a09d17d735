// Sends the answers of a wizard. If that fails, they are saved as a draft, so that nothing typed is lost.
import {Declined, SvcError} from '../../errors.ts'
import type {Body} from '../../cli/body/assignments.ts'
import type {Drafts} from '../../cli/wizard/drafts.ts'
import type {Keeper} from '../../cli/wizard/keep-answers.ts'
import {printText} from '../../cli/wizard/print.ts'
import type {Wizard} from '../../cli/wizard/wizard.ts'

interface SendOptions<T> {
  isQuiet?: boolean
  // False for a dry run: the draft is still needed.
  isSent?: boolean
  // Whether the service took the data. If not, the answers are corrected and sent again.
  isDone?: (reply: T) => boolean
}

export async function sendOrSaveDraft<T>(
  send: () => Promise<T>,
  body: Body,
  {drafts, keeper}: Pick<Wizard, 'drafts' | 'keeper'>,
  {isQuiet = false, isSent = true, isDone = () => true}: SendOptions<T> = {},
): Promise<T> {
  try {
    keeper?.markSending(isSent)
    const reply = await send()
    if (isSent && isDone(reply)) keeper?.discard()
    else keeper?.markSending(false)
    if (!isSent) leaveDraft(keeper, isQuiet)
    const file = drafts.getSavedFile()
    if (file !== undefined && !isQuiet) {
      printText(`${file} contains personal data: delete it when you no longer need it.`)
    }
    return reply
  } catch (error) {
    // A request whose outcome is unknown may have arrived, so the draft keeps its mark.
    if (!(error instanceof SvcError && error.kind === 'unknownOutcome')) keeper?.markSending(false)
    // A user who quits has chosen not to save. A user who declines a confirmation has not.
    const hasQuit = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    const hint = keeper?.describeContinuation()
    const needsFile = hint === undefined && error instanceof SvcError && !hasQuit
    if (hint !== undefined && !hasQuit) printText(`${hint}.`)
    if (needsFile) await offerDraft(body, drafts)
    else await drafts.saveOnExit(body)
    keeper?.release()
    throw error
  }
}

// After a dry run the answers are still to be sent.
function leaveDraft(keeper: Keeper | undefined, isQuiet: boolean): void {
  const hint = keeper?.describeContinuation()
  if (hint !== undefined && !isQuiet) printText(`${hint}.`)
  keeper?.release()
}

// Quitting this prompt must not hide the error that led to it.
async function offerDraft(body: Body, drafts: Drafts): Promise<void> {
  try {
    await drafts.offerToSave(body)
  } catch {
    printText('It was not saved.')
  }
}
