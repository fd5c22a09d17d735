// Keeps the answers of a wizard from the first one on, and knows how to go on with them later.
import {getSystemCode} from '../../errors.ts'
import {quoteForShell} from '../../values/text.ts'
import {type Body, withValue} from '../../values/body-paths.ts'
import {mergeBodies} from '../body/body.ts'
import {isRecord} from '../../values/records.ts'
import {formatDuration, minuteMs} from '../../values/time.ts'
import {cleanText} from '../output/clean.ts'
import {pick} from '../prompts/ask.ts'
import {DraftFile, type DraftPosition, type DraftScope, type KeptDraft, listDrafts} from './draft-store.ts'
import {printText} from './print.ts'
import type {Answers} from './steps.ts'

interface KeeperSettings {
  // Where the answers are kept; undefined if the user wants no draft.
  file: DraftFile | undefined
  // The command that offers the answers again, such as `svc customers create`.
  command: string
  // Fields of the draft that this version does not know, by their paths. They are kept, and not sent.
  unknownFields?: Readonly<Record<string, unknown>> | undefined
}

export interface Keeper {
  readonly command: string
  // Whether answers are kept at all.
  readonly canKeep: boolean
  // Called before each question with the answers so far. Nothing is kept before the first answer.
  keep(answers: Answers, at: DraftPosition | undefined): void
  // What the wizard decided before its questions.
  setContext(context: unknown): void
  hasAnswers(): boolean
  isKept(): boolean
  // How to go on with the answers, as a hint; undefined if there are none, or they were released, which was said then.
  describeContinuation(): string | undefined
  markSending(isSending: boolean): void
  // Deletes the answers: they were sent, or are not wanted.
  discard(): void
  // Leaves the answers to a later wizard.
  release(): void
  // The same, after saying how to go on with them.
  leave(options?: {isQuiet: boolean}): void
}

const describeFailure = (error: unknown) =>
  getSystemCode(error) ?? (error instanceof Error ? error.message : String(error))

function createKeeper({file, command, unknownFields = {}}: KeeperSettings): Keeper {
  let start: Answers | undefined
  let context: unknown
  let hasAnswers = file?.isSaved ?? false
  let hasFailed = false
  let isReleased = false
  const restoreUnknown = (body: Body) =>
    Object.entries(unknownFields).reduce((whole, [path, value]) => withValue(whole, path, value), body)
  // The wizard goes on without a draft, so that a full disk does not end it.
  const attempt = (write: () => void) => {
    try {
      write()
    } catch (error) {
      if (!hasFailed) {
        printText(`The answers cannot be kept (${describeFailure(error)}): Ctrl-S saves them to a file.`)
      }
      hasFailed = true
    }
  }
  const isKept = () => file !== undefined && file.isSaved && !hasFailed
  const describeContinuation = () =>
    isKept() && !isReleased ? `Your answers are kept: \`${command}\` offers to go on with them` : undefined
  const release = () => {
    isReleased = true
    attempt(() => file?.release())
  }
  return {
    command,
    canKeep: file !== undefined,
    keep(answers, at) {
      start ??= answers
      hasAnswers ||= answers !== start
      if (!hasAnswers || !file) return
      attempt(() => {
        file.save({body: restoreUnknown(answers.body), forks: answers.forks, at, context})
        hasFailed = false
      })
    },
    setContext(value) {
      context = value
    },
    hasAnswers: () => hasAnswers,
    isKept,
    describeContinuation,
    markSending: (isSending) => attempt(() => file?.markSending(isSending)),
    discard() {
      attempt(() => file?.remove())
      start = undefined
      hasAnswers = false
    },
    release,
    leave({isQuiet} = {isQuiet: false}) {
      const hint = describeContinuation()
      if (hint !== undefined && !isQuiet) printText(`${hint}.`)
      release()
    },
  }
}

// Offers the answers of an earlier, unfinished run of the same command.
interface ClaimedDraft {
  draft: KeptDraft
  file: DraftFile
}

interface Offer {
  // Says what the answers are about, such as the name of a business; may be empty.
  describe: (body: Body) => string
  // Whether the answers fit what was given this time.
  isFitting?: (body: Body) => boolean
}

const countAnswers = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + countAnswers(inner), 0)
    : 1

function describeAge(savedAtMs: number): string {
  const ageMs = Date.now() - savedAtMs
  return ageMs < minuteMs ? 'just now' : `${formatDuration(Math.floor(ageMs / minuteMs) * minuteMs)} ago`
}

function describeDraft({body, savedAtMs, at, isSending}: KeptDraft, {describe}: Offer): string {
  const count = countAnswers(body)
  return [
    describe(body),
    count === 1 ? '1 answer' : `${count} answers`,
    describeAge(savedAtMs),
    isSending ? 'it may have been sent already: check first' : at ? `left at “${at.label}”` : 'complete, not sent',
  ]
    .filter((part) => part !== '')
    .map(cleanText)
    .join(', ')
}

// A folder that cannot be written must not keep anybody from answering the questions anew.
function claimIfPossible(scope: DraftScope, draft: KeptDraft): DraftFile | undefined {
  try {
    return DraftFile.claim(scope, draft)
  } catch {
    return undefined
  }
}

type Action = {continue: ClaimedDraft} | 'keep' | 'delete'

// Returns the draft to continue, or undefined to start anew. Drafts of wizards that still run are not offered.
async function offerDraft(scope: DraftScope, offer: Offer): Promise<ClaimedDraft | undefined> {
  const claimed = listDrafts(scope)
    .filter(({body}) => offer.isFitting?.(body) ?? true)
    .flatMap((draft): ClaimedDraft[] => {
      const file = claimIfPossible(scope, draft)
      return file ? [{draft, file}] : []
    })
  if (claimed.length === 0) return undefined
  const [them, question] =
    claimed.length === 1
      ? ['it', 'Go on with your draft?']
      : ['them', `Go on with one of your ${claimed.length} drafts?`]
  let action: Action = 'keep'
  try {
    action = await pick<Action>(question, [
      ...claimed.map((each) => ({
        name: `Go on: ${describeDraft(each.draft, offer)}`,
        short: 'go on',
        value: {continue: each},
      })),
      {name: `Start anew, and keep ${them} for later`, short: 'start anew', value: 'keep'},
      {name: `Start anew, and delete ${them}`, short: 'start anew, draft deleted', value: 'delete'},
    ])
  } finally {
    const chosen = typeof action === 'object' ? action.continue : undefined
    for (const each of claimed) {
      if (each === chosen) continue
      if (action === 'delete') each.file.remove()
      else each.file.release()
    }
  }
  return typeof action === 'object' ? action.continue : undefined
}

// Opens the draft of a command whose questions fill one body: offers the answers that were kept, and keeps them from now on.
export interface BodyDraft extends Answers {
  keeper: Keeper
  // What the wizard had decided before its questions.
  context?: unknown
  // Present if kept answers are continued, with the question at which the person left, if any was still open.
  continued?: {at: DraftPosition | undefined} | undefined
}

interface BodyDraftSettings {
  hasNoDraft: boolean
  hasFile: boolean
  // Says what the answers are about; may be empty.
  describe: (body: Body) => string
  // Whether the answers fit what was given; by default, if they say nothing else.
  isFitting?: (body: Body) => boolean
  // Takes out fields that this version does not know. They are kept, and not sent.
  separate?: (body: Body, isKept: boolean) => {body: Body; unknownFields: Readonly<Record<string, unknown>>}
}

// A draft is not offered where flags say something else.
const agrees = (draft: unknown, given: unknown): boolean =>
  isRecord(draft) && isRecord(given)
    ? Object.entries(given).every(([name, value]) => agrees(draft[name], value))
    : draft === undefined || given === undefined || draft === given

// With a file, the answers go on from the file.
export async function openBodyDraft(
  scope: DraftScope,
  given: Body,
  {hasNoDraft, hasFile, describe, isFitting = (draft) => agrees(draft, given), separate}: BodyDraftSettings,
): Promise<BodyDraft> {
  const kept = hasNoDraft || hasFile ? undefined : await offerDraft(scope, {describe, isFitting})
  const whole = kept ? mergeBodies(kept.draft.body, given) : given
  const {body, unknownFields} = separate?.(whole, kept !== undefined) ?? {body: whole, unknownFields: {}}
  const profile = scope.profile === '' ? '' : ` -p ${quoteForShell(scope.profile)}`
  const keeper = createKeeper({
    file: hasNoDraft ? undefined : (kept?.file ?? DraftFile.create(scope)),
    command: `svc ${scope.command}${profile}`,
    unknownFields,
  })
  keeper.setContext(kept?.draft.context)
  return {
    body,
    forks: kept?.draft.forks ?? {},
    keeper,
    continued: kept && {at: kept.draft.at},
    context: kept?.draft.context,
  }
}
