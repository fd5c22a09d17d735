// Opens the draft of a command whose questions fill one body: offers the answers that were kept, and keeps them from now on.
import type {Body} from '../body/assignments.ts'
import {mergeBodies} from '../body/body.ts'
import {quoteForShell} from '../../values/text.ts'
import {DraftFile, type DraftPosition, type DraftScope} from './draft-store.ts'
import {type Keeper, createKeeper} from './keep-answers.ts'
import {offerDraft} from './offer-draft.ts'
import {isRecord} from '../../values/records.ts'

export interface BodyDraft {
  body: Body
  keeper: Keeper
  // Present if kept answers are continued, with the question at which the person left, if any was still open.
  continued?: {at: DraftPosition | undefined} | undefined
}

export interface BodyDraftSettings {
  hasNoDraft: boolean
  hasFile: boolean
  // Says what the answers are about; may be empty.
  describe: (body: Body) => string
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
  {hasNoDraft, hasFile, describe}: BodyDraftSettings,
): Promise<BodyDraft> {
  const kept =
    hasNoDraft || hasFile ? undefined : await offerDraft(scope, {describe, isFitting: (draft) => agrees(draft, given)})
  const profile = scope.profile === '' ? '' : ` -p ${quoteForShell(scope.profile)}`
  const keeper = createKeeper({
    file: hasNoDraft ? undefined : (kept?.file ?? DraftFile.create(scope)),
    command: `svc ${scope.command}${profile}`,
  })
  return {
    body: kept ? mergeBodies(kept.draft.body, given) : given,
    keeper,
    continued: kept && {at: kept.draft.at},
  }
}
