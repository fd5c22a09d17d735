// The draft of a customer wizard: offers the one that was kept, and keeps the answers from now on.
import {mergeBodies} from '../../cli/body/body.ts'
import {toText} from '../../cli/output/view.ts'
import {askAlone, askSelect, keysHelp} from '../../cli/prompts/ask.ts'
import {printText} from '../../cli/wizard/print.ts'
import type {Draft} from '../../cli/wizard/question.ts'
import {Declined, SvcError, getSystemCode} from '../../errors.ts'
import {findCaller} from '../../profiles/caller.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {quoteForShell} from '../../values/text.ts'
import {formatDuration, minuteMs} from '../../values/time.ts'
import {type AnswersCaller, type DraftFile, type StoredDraft, openDraft} from '../answers.ts'

export interface DraftFlags {
  profile?: string | undefined
  'no-draft'?: boolean | undefined
}

// A correction needs the answers again, so they are kept longer than until they are sent.
export const getKeysHelp = ({'no-draft': hasNoDraft}: DraftFlags) =>
  hasNoDraft ? keysHelp : `${keysHelp} Your answers are kept until the customer is verified, for 30 days at most.`

// Drafts of a dry run belong to the profile that would be used.
function findCallerIfAny(profile: string | undefined): AnswersCaller | undefined {
  try {
    return findCaller(profile)
  } catch {
    return undefined
  }
}

const namePaths = [
  ['kybData.businessInfo.legalBusinessName'],
  ['businessName'],
  ['kycData.legalFirstName', 'kycData.legalLastName'],
  ['email'],
]

const describeCustomer = (body: Body) =>
  namePaths
    .map((paths) =>
      paths
        .map((each) => toText(getValue(body, each)))
        .join(' ')
        .trim(),
    )
    .find(Boolean)

function describeAge(savedAtMs: number): string {
  const ageMs = Date.now() - savedAtMs
  return ageMs < minuteMs ? 'just now' : `${formatDuration(Math.floor(ageMs / minuteMs) * minuteMs)} ago`
}

interface DraftOwner {
  // The id of the customer, or `newCustomer`.
  customerId: string
  // Such as `customers fix ID`.
  command: string
  caller: AnswersCaller | undefined
}

const printNotKept = (error: unknown) => printText(`The answers cannot be kept (${getSystemCode(error) ?? 'unknown'}).`)

// Keeps the answers of one wizard in its file. Without a file nothing is kept.
export class KeptDraft implements Draft {
  readonly #file: DraftFile | undefined
  readonly #owner: DraftOwner
  #start: Body | undefined
  #isKept: boolean

  constructor(file: DraftFile | undefined, owner: DraftOwner, isKept: boolean) {
    this.#file = file
    this.#owner = owner
    this.#isKept = isKept
  }

  // Nothing is kept before the first answer. A full disk does not end the wizard.
  save(body: Body, passed: ReadonlySet<string>): void {
    this.#start ??= body
    if (!this.#file || (!this.#isKept && body === this.#start)) return
    try {
      this.#file.save({command: this.#owner.command, savedAtMs: Date.now(), body, passed: [...passed]})
      this.#isKept = true
    } catch (error) {
      printNotKept(error)
      this.#isKept = false
    }
  }

  describe(): string | undefined {
    const {command, caller} = this.#owner
    const profile = caller?.profileName ? ` -p ${quoteForShell(caller.profileName)}` : ''
    return this.#isKept ? `Your answers are kept: \`svc ${command}${profile}\` offers to go on with them.` : undefined
  }

  // Sends the answers. They stay in the draft unless the service took them; `isDone` tells.
  async send<T>(send: () => Promise<T>, isDone: (reply: T) => boolean = () => true): Promise<T> {
    try {
      const reply = await send()
      if (isDone(reply)) {
        this.#file?.save(undefined)
        this.#isKept = false
        this.#start = undefined
      }
      return reply
    } catch (error) {
      // Who stops has been told.
      const hasStopped = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
      const hint = hasStopped ? undefined : this.describe()
      if (hint !== undefined) printText(hint)
      throw error
    }
  }
}

export interface OpenedDraft {
  draft: KeptDraft
  // What was given this time, over the answers of the draft.
  body: Body
  // The draft that is continued, if any.
  stored?: StoredDraft | undefined
}

// Undefined if the answers of this wizard are not to be kept.
function openFile({customerId, caller}: DraftOwner, flags: DraftFlags): DraftFile | undefined {
  if (flags['no-draft']) return undefined
  try {
    const file = openDraft(caller, customerId)
    if (!file) printText('Another svc keeps its answers at the moment, so yours are not kept.')
    return file
  } catch (error) {
    printNotKept(error)
    return undefined
  }
}

async function offerDraft(file: DraftFile, stored: StoredDraft): Promise<StoredDraft | undefined> {
  const about = [describeCustomer(stored.body), describeAge(stored.savedAtMs)].filter(Boolean).join(', ')
  const goesOn = await askAlone(() =>
    askSelect('Go on with your draft?', [
      {name: `Go on: ${about}`, short: 'go on', value: true},
      {name: 'Start anew, and delete it', short: 'start anew', value: false},
    ]),
  )
  if (!goesOn) file.save(undefined)
  return goesOn ? stored : undefined
}

// A draft of another command or of another kind of customer is neither offered nor replaced.
function isFitting({command, body}: StoredDraft, owner: DraftOwner, {customerType}: Body): boolean {
  return command === owner.command && (customerType === undefined || customerType === body['customerType'])
}

// Runs a wizard with the draft of an earlier run, if the person wants to go on with it.
export async function withDraft<T>(
  owner: DraftOwner,
  given: Body,
  flags: DraftFlags,
  work: (opened: OpenedDraft) => Promise<T>,
): Promise<T> {
  const whole = {...owner, caller: owner.caller ?? findCallerIfAny(flags.profile)}
  const file = openFile(whole, flags)
  try {
    const found = file?.read()
    const canUse = found === undefined || isFitting(found, whole, given)
    if (!canUse) printText(`Your draft of \`svc ${found.command}\` stays, and these answers are not kept.`)
    const stored = file && found && canUse ? await offerDraft(file, found) : undefined
    const draft = new KeptDraft(canUse ? file : undefined, whole, stored !== undefined)
    return await work({body: mergeBodies(stored?.body ?? {}, given), draft, stored})
  } finally {
    file?.close()
  }
}
