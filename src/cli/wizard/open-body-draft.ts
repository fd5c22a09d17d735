// Opens the draft of a command whose questions fill one body: offers the answers that were kept, and keeps them from now on.
import type {Body} from '../body/assignments.ts'
import {mergeBodies} from '../body/body.ts'
import {quoteForShell} from '../../validation/shell-quote.ts'
import {DraftFile, type DraftPosition, type DraftScope} from './draft-store.ts'
import {type Keeper, createKeeper} from './keep-answers.ts'
import {offerDraft} from './offer-draft.ts'

export interface BodyDraft {
  body: Body
  keeper: Keeper
  // The question that was left; undefined in `continued` if all were answered.
  continued?: {at: DraftPosition | undefined} | undefined
}

export interface BodyDraftSettings {
  hasNoDraft: boolean
  hasFile: boolean
  // Says what the answers are about; may be empty.
  describe: (body: Body) => string
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

// A draft is not offered where flags say something else.
const agrees = (draft: unknown, given: unknown): boolean =>
  isObject(draft) && isObject(given)
    ? Object.entries(given).every(([name, value]) => agrees(draft[name], value))
    : draft === undefined || given === undefined || draft === given

// With a file, the answers go on from the file.
export async function openBodyDraft(
  scope: DraftScope,
  given: Body,
  {hasNoDraft, hasFile, describe}: BodyDraftSettings,
): Promise<BodyDraft> {
  const claimed =
    hasNoDraft || hasFile ? undefined : await offerDraft(scope, {describe, isFitting: (draft) => agrees(draft, given)})
  const profile = scope.profile === '' ? '' : ` -p ${quoteForShell(scope.profile)}`
  const keeper = createKeeper({
    file: hasNoDraft ? undefined : (claimed?.file ?? DraftFile.create(scope)),
    command: `svc ${scope.command}${profile}`,
  })
  return {
    body: claimed ? mergeBodies(claimed.draft.body, given) : given,
    keeper,
    continued: claimed && {at: claimed.draft.at},
  }
}
