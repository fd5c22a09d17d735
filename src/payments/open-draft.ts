// Opens the draft of `svc pay`: offers the answers that were kept, and keeps them from now on.
import type {Body} from '../cli/body/assignments.ts'
import {mergeBodies} from '../cli/body/body.ts'
import {toText} from '../cli/output/view.ts'
import {getValue} from '../cli/wizard/body-paths.ts'
import {type DraftCaller, createDraftScope} from '../cli/wizard/draft-scope.ts'
import {DraftFile, type DraftPosition} from '../cli/wizard/draft-store.ts'
import {type Keeper, createKeeper} from '../cli/wizard/keep-answers.ts'
import {offerDraft} from '../cli/wizard/offer-draft.ts'
import {quoteForShell} from '../validation/shell-quote.ts'

export interface PayDraft {
  body: Body
  keeper: Keeper
  // The question that was left; undefined in `continued` if all were answered.
  continued?: {at: DraftPosition | undefined} | undefined
}

const command = 'pay'

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

// With a file, the answers go on from the file.
export async function openPayDraft(
  caller: DraftCaller,
  given: Body,
  {hasNoDraft, hasFile}: {hasNoDraft: boolean; hasFile: boolean},
): Promise<PayDraft> {
  const scope = {...createDraftScope(caller), command}
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
