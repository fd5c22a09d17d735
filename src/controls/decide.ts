// Decides whether a write may happen, by the policy in force and the limits of the profile. Every request of every command passes
// `decideWrite` on its way out; nothing else decides.
import {SvcError, badUsage} from '../errors.ts'
import {svc} from '../values/text.ts'
import {isPayment, isRuleWrite, isWrite} from '../values/urls.ts'
import {type ApprovalPolicy, type SpendingLimits, createRefusal, hasLimits} from './limits.ts'
import type {PolicyVersion} from './policies.ts'

// What binds a caller: the limits of its profile, and the policy once it was read.
export interface Controls {
  // How messages name the caller.
  label: string
  readOnly: boolean
  spending?: SpendingLimits | undefined
  approvals?: ApprovalPolicy | undefined
  coolDownMs?: number | undefined
  binding?: Binding | undefined
}

// The one who runs something, as far as svc can tell.
export interface Runner {
  // The user and the machine, as approvals name them.
  user: string
  // The approvers that he is: as the policy says, or by the keys that he has or had.
  approvers: readonly string[]
}

// The policy as it was when a caller was bound to it.
interface Binding {
  serviceId: string
  // What the profile says alone, for when the policy is read again.
  own: Pick<Controls, 'readOnly' | 'spending'>
  // Absent if the journal has no policy.
  version?: PolicyVersion | undefined
  // Changes with every change of a policy in the journal.
  mark: number
  runner: Runner
  // Why the caller may write nothing at all, or nothing that pays.
  refusal?: SvcError | undefined
  payRefusal?: SvcError | undefined
}

export interface WriteRequest {
  method: string
  path: string
  // Set by a command that validates what it writes against the limits before it sends.
  checksLimits?: boolean
  // Set by a command that makes sure that what it writes was approved, and that its payees have waited.
  checksApprovals?: boolean
}

// Of a command that checks both before it pays.
export const paymentWrite: WriteRequest = {
  method: 'POST',
  path: '/transactions',
  checksLimits: true,
  checksApprovals: true,
}

// Whether a write moves money or touches a rule that does.
export const isConsequential = (write: WriteRequest): boolean => isPayment(write) || isRuleWrite(write)

// What writes are called where people read about them. Any other request is named as it is sent.
const writeNames: ReadonlyArray<readonly [request: RegExp, name: string]> = [
  [/^POST \/transactions$/, 'A payment'],
  [/^POST \/quotes$/, 'A request for a quote'],
  [/^POST \/automation-rules$/, 'A new rule'],
  [/^PUT \/automation-rules\/[^/]+$/, 'A change of a rule'],
  [/^DELETE \/automation-rules\/[^/]+$/, 'The deletion of a rule'],
  [/^POST \/customers$/, 'A new customer'],
  [/^PATCH \/customers?\/[^/]+$/, 'A submission of a customer’s data'],
  [/^PATCH \/batches$/, 'A change of a batch'],
]

export const nameWrite = ({method, path}: WriteRequest): string =>
  writeNames.find(([request]) => request.test(`${method} ${path}`))?.[1] ?? `${method} ${path}`

// Deleting a rule spends nothing. Everything else on these paths may, and the path does not say how much or where to.
const canSpend = (write: WriteRequest) => isPayment(write) || (isRuleWrite(write) && write.method !== 'DELETE')

// Throws if the write may not happen, whoever confirms it.
export function decideWrite(controls: Controls, write: WriteRequest): void {
  if (!isWrite(write.method)) return
  const {binding, label, readOnly} = controls
  if (binding?.refusal) throw binding.refusal
  if (readOnly) {
    throw badUsage(
      `${nameWrite(write)} is a write, and ${label} is read-only`,
      'Use a profile that may write; nothing was sent',
    )
  }
  if (binding?.payRefusal && isConsequential(write)) throw binding.payRefusal
  if (canSpend(write)) rejectUnchecked(controls, write)
}

// What has limits, approvals or waiting does not send what was not checked against them.
function rejectUnchecked({label, spending, approvals, coolDownMs = 0}: Controls, write: WriteRequest): void {
  if (!write.checksLimits && hasLimits(spending ?? {})) {
    throw createRefusal(
      'LIMIT_REACHED',
      `What this would pay, and where to, is not known here, and ${label} has limits`,
      `Use ${svc`pay`}, or ${svc`rules create`} for a rule, which check it against them; nothing was sent`,
    )
  }
  if (write.checksApprovals || ((approvals?.required ?? 0) === 0 && coolDownMs === 0)) return
  throw createRefusal(
    'NOT_APPROVED',
    `${nameWrite(write)} cannot be approved this way, and ${label} wants approvals or lets new payees wait`,
    `Use a file that others can approve with ${svc`approve FILE`}: ${svc`pay -f FILE`}, ${svc`payouts run FILE`}, ${svc`rules apply -f FILE`}; nothing was sent`,
  )
}

// The policy changed between the moment when a payment was checked and the one when it is armed.
export class PolicyChanged extends SvcError {
  constructor(key: string) {
    super({
      error: 'POLICY_CHANGED',
      kind: 'limit',
      message: `The payment ${key} was not sent: the policy changed while it was prepared`,
      hint: 'Run the same command again, which looks at it with the policy in force',
    })
  }
}
