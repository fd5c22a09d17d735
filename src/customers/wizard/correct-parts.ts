// One correction: asks for the chosen parts, reviews them, and sends them until the service accepts them.
import type {z} from 'zod'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {WriteRequest} from '../../profiles/write-policy.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import type {Drafts} from '../../cli/wizard/drafts.ts'
import {printText} from '../../cli/wizard/print.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {interruptAfterRejection} from '../../cli/wizard/send-or-revise.ts'
import type {Answers, Part} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {hasGovernmentId, noGovernmentId} from '../first-submission.ts'
import {maskPersonalData} from '../mask-personal-data.ts'
import {findProblemsExceptFiles, validateCustomerBody} from '../validate-body.ts'
import {askOpenSteps} from './ask-open-steps.ts'
import {buildCorrectionSteps} from './correction-steps.ts'
import {sendOrSaveDraft} from './send-or-save-draft.ts'
import {pruneDraft} from './submission-parts.ts'

type CustomerPatch = z.input<typeof customerPatch>

export interface CorrectionContext {
  customerId: string
  // Connects anew for every request, so that the time to answer questions does not count against --timeout.
  connect: () => Promise<Client>
  guard: (write: WriteRequest) => Promise<void>
  drafts: Drafts
  // The answers of a resumed draft.
  resumed: Body | undefined
}

export interface SentCorrection {
  client: Client
  customer: LooseCustomer
}

const buildWizard = (parts: readonly Part[], drafts: Drafts): ReviewedWizard => ({
  steps: buildCorrectionSteps(parts),
  validate: (body) => findProblemsExceptFiles(customerPatch, body),
  drafts,
  mask: (body) => maskPersonalData(body, customerPatch),
  sendLabel: 'Send the correction; verification starts again',
})

function listRemarks({body}: Answers): string[] {
  const documents = getValue(body, 'kycData.documents')
  return Array.isArray(documents) && !hasGovernmentId(documents) ? [noGovernmentId] : []
}

interface ReviewedAnswers {
  answers: Answers
  body: CustomerPatch
}

// Reviews the answers until the body is valid with the content of its documents.
async function reviewUntilValid(start: Answers, wizard: ReviewedWizard): Promise<ReviewedAnswers> {
  let problemRemarks: string[] = []
  const remarks = (answers: Answers) => [...listRemarks(answers), ...problemRemarks]
  for (let answers = start; ;) {
    answers = await reviewAnswers(answers, {...wizard, remarks})
    const {body, problems: found} = await validateCustomerBody(customerPatch, answers.body)
    // The review has shown the warnings.
    const problems = found.filter(({isWarning}) => !isWarning)
    if (problems.length === 0) return {answers, body}
    problemRemarks = problems.map(({path, message}) => `${path} ${message}: change it before sending.`)
  }
}

// Returns undefined if the service rejects the data, which can then be changed.
async function sendCorrection(
  body: CustomerPatch,
  {customerId, guard, connect}: CorrectionContext,
): Promise<SentCorrection | undefined> {
  await guard({method: 'PATCH', path: `/customers/${customerId}`})
  const client = await connect()
  try {
    return {client, customer: await client.customers.update({customerId, body})}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'BAD_REQUEST') throw error
    printText(`The service rejected it: ${error.message}. Change it and send it again.`)
    return undefined
  }
}

export async function correctParts(parts: readonly Part[], context: CorrectionContext): Promise<SentCorrection> {
  const {drafts} = context
  const wizard = buildWizard(parts, drafts)
  const resumed = context.resumed && pruneDraft(parts, context.resumed)
  let answers = await askOpenSteps({body: resumed ?? {}, forks: {}}, wizard, resumed)
  for (let wasRejected = false; ; wasRejected = true) {
    const start = answers
    const review = () => reviewUntilValid(start, wizard)
    const reviewed = await (wasRejected ? interruptAfterRejection(review) : review())
    answers = reviewed.answers
    const sent = await sendOrSaveDraft(() => sendCorrection(reviewed.body, context), answers.body, drafts)
    if (sent) return sent
  }
}
