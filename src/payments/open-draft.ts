// Opens the draft of `svc pay`: offers the answers that were kept, and keeps them from now on.
import type {Body} from '../cli/body/assignments.ts'
import {mergeBodies} from '../cli/body/body.ts'
import {toText} from '../cli/output/view.ts'
import {getValue} from '../cli/wizard/body-paths.ts'
import {type DraftCaller, createDraftScope} from '../cli/wizard/draft-scope.ts'
import {DraftFile, type DraftPosition, type DraftScope, listDrafts} from '../cli/wizard/draft-store.ts'
import {type Keeper, createKeeper} from '../cli/wizard/keep-answers.ts'
import {offerDraft} from '../cli/wizard/offer-draft.ts'
import type {ServiceTraits} from '../profiles/service-traits.ts'
import {quoteForShell} from '../validation/shell-quote.ts'
import {payDraftCommand, splitPaidDrafts} from './paid-drafts.ts'

export interface PayDraft {
  body: Body
  keeper: Keeper
  // The question that was left; undefined in `continued` if all were answered.
  continued?: {at: DraftPosition | undefined} | undefined
}

const command = payDraftCommand

// For example: 250 USDC, as invoice-2041.
function describePayment(body: Body): string {
  const [amount, currency] = ['sourceAmount', 'sourceCurrency'].map((name) => toText(getValue(body, `source.${name}`)))
  const money = amount ? [amount, currency].filter(Boolean).join(' ') : ''
  const key = toText(body['key'])
  return [money, key && `as ${key}`].filter(Boolean).join(', ')
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

// A draft is not offered where flags say something else.
const agrees = (draft: unknown, given: unknown): boolean =>
  isObject(draft) && isObject(given)
    ? Object.entries(given).every(([name, value]) => agrees(draft[name], value))
    : draft === undefined || given === undefined || draft === given

interface DraftSettings {
  hasNoDraft: boolean
  hasFile: boolean
  traits: ServiceTraits
  notice: (text: string) => void
}

async function removePaidDrafts(scope: DraftScope, {traits, notice}: DraftSettings): Promise<void> {
  const {serviceId, identity, journal} = traits
  const {paid} = await splitPaidDrafts(listDrafts(scope), {serviceId, formerIds: identity.formerIds, journal})
  for (const draft of paid) {
    const key = toText(draft.body['key'])
    const file = DraftFile.claim(scope, draft)
    file?.remove()
    if (file) notice(`Your draft of ${key} was removed, because ${key} was paid meanwhile.`)
  }
}

// With a file, the answers go on from the file.
export async function openPayDraft(caller: DraftCaller, given: Body, settings: DraftSettings): Promise<PayDraft> {
  const {hasNoDraft, hasFile} = settings
  const scope = {...createDraftScope(caller), command}
  if (!hasNoDraft) await removePaidDrafts(scope, settings)
  const claimed =
    hasNoDraft || hasFile
      ? undefined
      : await offerDraft(scope, {describe: describePayment, isFitting: (draft) => agrees(draft, given)})
  const profile = scope.profile === '' ? '' : ` -p ${quoteForShell(scope.profile)}`
  const keeper = createKeeper({
    file: hasNoDraft ? undefined : (claimed?.file ?? DraftFile.create(scope)),
    command: `svc ${command}${profile}`,
  })
  return {
    body: claimed ? mergeBodies(claimed.draft.body, given) : given,
    keeper,
    continued: claimed && {at: claimed.draft.at},
  }
}
