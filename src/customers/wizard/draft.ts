// The draft of a customer wizard: offers the one that was kept, and keeps the answers from now on.
import {mergeBodies} from '../../cli/body/body.ts'
import {toText} from '../../cli/output/view.ts'
import {askAlone, askSelect, keysHelp} from '../../cli/prompts/ask.ts'
import {printText} from '../../cli/wizard/print.ts'
import type {Draft} from '../../cli/wizard/question.ts'
import {Declined, SvcError, getSystemCode} from '../../errors.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {svc} from '../../values/text.ts'
import {formatDuration, minuteMs} from '../../values/time.ts'
import type {Caller} from '../../profiles/caller.ts'
import {type StoredDraft, readAnswers, saveDraft} from '../answers.ts'
import type {SubmissionFlags} from '../flags.ts'

// A correction needs the answers again, so they are kept longer than until they are sent.
export const getKeysHelp = ({'no-draft': hasNoDraft}: SubmissionFlags) =>
  hasNoDraft ? keysHelp : `${keysHelp} Your answers are kept until the customer is verified, for 30 days at most.`

const namePaths = ['kybData.businessInfo.legalBusinessName', 'businessName', 'kycData.legalLastName', 'email']

// Asks whether to go on with it.
function offerDraft({body, savedAtMs}: StoredDraft): Promise<boolean> {
  const name = namePaths.map((path) => toText(getValue(body, path))).find(Boolean)
  const minutes = Math.floor((Date.now() - savedAtMs) / minuteMs)
  const age = minutes < 1 ? 'just now' : `${formatDuration(minutes * minuteMs)} ago`
  return askAlone(() =>
    askSelect('Go on with your draft?', [
      {name: `Go on: ${[name, age].filter(Boolean).join(', ')}`, short: 'go on', value: true},
      {name: 'Start anew, and delete it', short: 'start anew', value: false},
    ]),
  )
}

// Of which customer, by its id or `newCustomer`, and with which command, such as `customers fix ID`.
type DraftOwner = Pick<StoredDraft, 'command'> & {customerId: string; caller: Caller}

export interface OpenedDraft extends Draft {
  // What was given this time, over the answers of the draft.
  body: Body
  // The questions that were dealt with, if a draft is continued.
  passed: ReadonlySet<string> | undefined
  // Sends the answers. They stay in the draft unless the service took them.
  send: <T>(send: () => Promise<T>) => Promise<T>
}

// Offers the draft of an earlier run. One of another command or of another kind of customer is neither offered nor replaced.
export async function openDraft(owner: DraftOwner, given: Body, flags: SubmissionFlags): Promise<OpenedDraft> {
  const {customerId, command, caller} = owner
  const found = flags['no-draft'] ? undefined : readAnswers(caller, customerId).draft
  const customerType = given['customerType'] ?? found?.body['customerType']
  const isOther =
    found && !(found.command.join(' ') === command.join(' ') && customerType === found.body['customerType'])
  if (isOther) printText(`Your draft of ${svc`${found.command}`} stays, and these answers are not kept.`)
  const keepsDraft = !flags['no-draft'] && !isOther
  const stored = found && !isOther && (await offerDraft(found)) ? found : undefined
  let isKept = false
  const keep = (draft: StoredDraft | undefined) => {
    if (!keepsDraft) return
    isKept = false
    try {
      saveDraft(caller, customerId, draft)
      isKept = draft !== undefined
    } catch (error) {
      // A full disk does not end the wizard.
      printText(`The answers cannot be kept (${getSystemCode(error) ?? 'unknown'}).`)
    }
  }
  if (found) keep(stored)
  let start: Body | undefined
  const describe = () => (isKept ? `Your answers are kept: ${svc`${command}`} offers to go on with them.` : undefined)
  const sayIfKept = () => {
    const text = describe()
    if (text !== undefined && !flags.quiet) printText(text)
  }
  return {
    body: mergeBodies(stored?.body ?? {}, given),
    passed: stored && new Set(stored.passed),
    // Nothing is kept before the first answer.
    save(body, passed) {
      start ??= body
      if (isKept || body !== start) keep({command, savedAtMs: Date.now(), body, passed: [...passed]})
    },
    describe,
    async send(send) {
      try {
        const reply = await send()
        if (flags['dry-run']) sayIfKept()
        else keep(undefined)
        return reply
      } catch (error) {
        // Who stops has been told.
        const hasStopped = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
        if (!hasStopped) sayIfKept()
        throw error
      }
    },
  }
}
