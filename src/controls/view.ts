// How approvals and policies are shown.
import {type View, createColumn, formatMinute, formatYesNo} from '../cli/output/view.ts'
import {omitUndefined} from '../values/records.ts'
import {toIso} from '../values/time.ts'
import type {listShownApprovals} from './approvals.ts'
import type {Policies, PolicyVersion} from './policies.ts'
import {type Policy, comparePolicies, describePolicy} from './policy.ts'

export const approvalView: View<ReturnType<typeof listShownApprovals>[number]> = {
  singular: 'approval',
  plural: 'approvals',
  columns: [
    createColumn('signer', 0),
    createColumn('counts', 0, {format: formatYesNo}),
    createColumn('expiresAt', 1, {short: 'expires', header: 'EXPIRES (UTC)', format: formatMinute}),
    createColumn('reason', 2, {header: 'BECAUSE'}),
    createColumn('givenAt', 3, {short: 'given', header: 'GIVEN (UTC)', format: formatMinute}),
    createColumn('user', 4),
  ],
}

// A version as commands return it. `policy` and `previous` can be written to a file that `svc policy set` reads.
export function toShownPolicy(
  version: PolicyVersion,
  state: 'IN_FORCE' | 'PROPOSED' | 'PAST',
  {before, trust}: {before?: Policy | undefined; trust?: string | undefined} = {},
) {
  const {serviceId, digest, previous, since, at, by, why, approvedBy, policy} = version
  return omitUndefined({
    service: serviceId,
    digest: `sha256:${digest}`,
    state,
    previous: previous && `sha256:${previous}`,
    since: toIso(since),
    proposedAt: toIso(at),
    by,
    why,
    approvedBy,
    changes: comparePolicies(before, policy),
    // Where the trust in it comes from.
    trust,
    policy,
  })
}

type ShownPolicy = ReturnType<typeof toShownPolicy>

// All versions of a service, oldest first, then those that are proposed.
export function listShownPolicies({past, inForce, proposed}: Policies, serviceId: string): ShownPolicy[] {
  const isOwn = (version: PolicyVersion) => version.serviceId === serviceId
  const own = past.filter(isOwn)
  const current = inForce.get(serviceId)
  return [
    ...own.map((version, index) => {
      const state = version.digest === current?.digest ? 'IN_FORCE' : 'PAST'
      return toShownPolicy(version, state, {before: own[index - 1]?.policy})
    }),
    ...proposed.filter(isOwn).map((version) => toShownPolicy(version, 'PROPOSED', {before: current?.policy})),
  ]
}

const formatApprovers = (_: unknown, {approvedBy}: ShownPolicy) => (approvedBy.length > 0 ? approvedBy : 'no one')

const formatPolicy = (_: unknown, {policy}: ShownPolicy) =>
  describePolicy(policy).flatMap(({label, lines}) => lines.map((line) => `${label}: ${line}`))

export const policyView: View<ShownPolicy> = {
  singular: 'policy',
  plural: 'versions',
  columns: [
    createColumn('digest', 0, {kind: 'text'}),
    createColumn('state', 0, {kind: 'status'}),
    createColumn('since', 1, {header: 'IN FORCE SINCE (UTC)', format: formatMinute}),
    createColumn('approvedBy', 1, {header: 'APPROVED BY', format: formatApprovers}),
    createColumn('by', 2, {header: 'ENTERED BY'}),
    createColumn('changes', 3),
    createColumn('why', 4),
    createColumn('service', 5, {shown: 'onRequest'}),
    createColumn('previous', 5, {header: 'FOLLOWS', shown: 'onRequest'}),
    createColumn('proposedAt', 5, {header: 'ENTERED (UTC)', format: formatMinute, shown: 'onRequest'}),
    createColumn('trust', 5, {shown: 'onRequest'}),
    createColumn('policy', 5, {format: formatPolicy, shown: 'onRequest'}),
  ],
}
