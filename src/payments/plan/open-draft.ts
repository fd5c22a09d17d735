// Opens the draft of `svc pay`: offers the answers that were kept, and keeps them from now on.
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type DraftCaller, createDraftScope} from '../../cli/wizard/draft-scope.ts'
import {DraftFile, type DraftScope, listDrafts} from '../../cli/wizard/draft-store.ts'
import {type BodyDraft, openBodyDraft} from '../../cli/wizard/open-body-draft.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {payDraftCommand, splitPaidDrafts} from './paid-drafts.ts'

export type PayDraft = BodyDraft

const command = payDraftCommand

// For example: 250 USDC, as invoice-2041.
function describePayment(body: Body): string {
  const [amount, currency] = ['sourceAmount', 'sourceCurrency'].map((name) => toText(getValue(body, `source.${name}`)))
  const money = amount ? [amount, currency].filter(Boolean).join(' ') : ''
  const key = toText(body['key'])
  return [money, key && `as ${key}`].filter(Boolean).join(', ')
}

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

export async function openPayDraft(caller: DraftCaller, given: Body, settings: DraftSettings): Promise<PayDraft> {
  const {hasNoDraft, hasFile} = settings
  const scope = {...createDraftScope(caller), command}
  if (!hasNoDraft) await removePaidDrafts(scope, settings)
  return openBodyDraft(scope, given, {hasNoDraft, hasFile, describe: describePayment})
}
