// Opens the draft of `svc rules create`.
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type DraftCaller, createDraftScope} from '../../cli/wizard/draft-scope.ts'
import {type BodyDraft, openBodyDraft} from '../../cli/wizard/open-body-draft.ts'

export const ruleDraftCommand = 'rules create'

// The name of the rule in quotes, such as “Payroll”, or nothing if it has none yet.
const describeRule = (body: Body): string => {
  const name = toText(getValue(body, 'name'))
  return name && `“${name}”`
}

export const openRuleDraft = (
  caller: DraftCaller,
  given: Body,
  settings: {hasNoDraft: boolean; hasFile: boolean},
): Promise<BodyDraft> =>
  openBodyDraft({...createDraftScope(caller), command: ruleDraftCommand}, given, {...settings, describe: describeRule})
