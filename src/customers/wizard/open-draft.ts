// Opens the draft of a customer wizard: offers the one that was kept, and keeps the answers from now on.
import {findCaller} from '../../profiles/caller.ts'
import type {Problem} from '../../contract/problems.ts'
import {quoteForShell} from '../../values/text.ts'
import {isAllowedField} from '../../cli/body/accept-warnings.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {mergeBodies} from '../../cli/body/body.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import {type DraftCaller, createDraftScope} from '../../cli/wizard/draft-scope.ts'
import {DraftFile, type DraftPosition} from '../../cli/wizard/draft-store.ts'
import {type Keeper, createKeeper} from '../../cli/wizard/keep-answers.ts'
import {keysHelp, keysHelpWithKeeper} from '../../cli/wizard/navigation.ts'
import {offerDraft} from '../../cli/wizard/offer-draft.ts'
import {printText} from '../../cli/wizard/print.ts'
import type {Answers} from '../../cli/wizard/steps.ts'
import {isOwnDraft} from '../draft-owner.ts'

export interface DraftFlags {
  save?: string | undefined
  resume?: string | undefined
  profile?: string | undefined
  'no-draft'?: boolean | undefined
  'allow-unknown-fields'?: boolean | undefined
}

// What a wizard continues with: answers of flags and files, and of a draft.
export interface OpenedDraft {
  start: Answers
  keeper: Keeper
  // Whether the answers come from a kept draft. Then `at` is the question that was left; undefined is the review.
  isContinued: boolean
  at?: DraftPosition | undefined
  // What the wizard had decided before its questions.
  context?: unknown
}

export const getKeysHelp = ({'no-draft': hasNoDraft}: DraftFlags) => (hasNoDraft ? keysHelp : keysHelpWithKeeper)

// Drafts of a dry run belong to the profile that would be used.
function findCallerIfAny(profile: string | undefined): DraftCaller | undefined {
  try {
    return findCaller(profile)
  } catch {
    return undefined
  }
}

const describeCustomer = ({email, kycData, kybData, ...body}: Body): string => {
  const find = (path: string) => toText(getValue({kycData, kybData}, path))
  const person = [find('kycData.legalFirstName'), find('kycData.legalLastName')].filter(Boolean).join(' ')
  const name = find('kybData.businessInfo.legalBusinessName') || toText(body['businessName']) || person
  return name || toText(email)
}

// Fields that another version of svc wrote into the draft must not end the wizard. They are kept in the draft.
function separateUnknownFields(body: Body, validate: (body: Body) => readonly Problem[]) {
  const paths = validate(body)
    .filter(isAllowedField)
    .map(({path}) => path)
  if (paths.length > 0) {
    printText(
      `This version of svc does not know ${paths.join(', ')} of the draft: kept there, and not sent (--allow-unknown-fields sends it).`,
    )
  }
  const unknownFields = Object.fromEntries(paths.map((path) => [path, getValue(body, path)]))
  return {body: paths.toReversed().reduce(withoutValue, body), unknownFields}
}

export async function openDraft(
  command: string,
  given: Body,
  flags: DraftFlags,
  caller: DraftCaller | undefined,
  validate: (body: Body) => readonly Problem[],
): Promise<OpenedDraft> {
  const scope = {...createDraftScope(caller ?? findCallerIfAny(flags.profile)), command}
  const {'no-draft': hasNoDraft = false, resume, 'allow-unknown-fields': allowsUnknown = false} = flags
  const {customerType} = given
  const claimed =
    hasNoDraft || resume !== undefined
      ? undefined
      : await offerDraft(scope, {
          describe: describeCustomer,
          isFitting: (body) => customerType === undefined || customerType === body['customerType'],
        })
  const whole = claimed ? mergeBodies(claimed.draft.body, given) : given
  const isDraft = claimed !== undefined || isOwnDraft(resume)
  const {body, unknownFields} =
    isDraft && !allowsUnknown ? separateUnknownFields(whole, validate) : {body: whole, unknownFields: {}}
  const profile = scope.profile === '' ? '' : ` -p ${quoteForShell(scope.profile)}`
  const keeper = createKeeper({
    file: hasNoDraft ? undefined : (claimed?.file ?? DraftFile.create(scope)),
    command: `svc ${command}${profile}`,
    unknownFields,
  })
  keeper.setContext(claimed?.draft.context)
  return {
    start: {body, forks: claimed?.draft.forks ?? {}},
    keeper,
    isContinued: claimed !== undefined,
    at: claimed?.draft.at,
    context: claimed?.draft.context,
  }
}
