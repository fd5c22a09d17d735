// How policies are shown.
import {type View, formatMinute} from '../cli/output/view.ts'
import {type Policies, type PolicyVersion} from './policies.ts'
import {type Policy, type PolicyFact, comparePolicies, describePolicy} from './policy.ts'
import {toIso} from '../values/time.ts'

export type ShownState = 'IN_FORCE' | 'PROPOSED' | 'PAST' | 'OVERTAKEN'

// A version as commands return it. `policy` and `previous` can be written to a file that `svc policy set` reads.
export interface ShownPolicy {
  service: string
  digest: string
  state: ShownState
  previous?: string | undefined
  since?: string | undefined
  proposedAt?: string | undefined
  by: string
  why?: string | undefined
  approvedBy: readonly string[]
  changes: readonly string[]
  // Where the trust in it comes from.
  trust?: string | undefined
  policy: Policy
}

export function toShownPolicy(
  version: PolicyVersion,
  state: ShownState,
  {before, trust}: {before?: Policy | undefined; trust?: string | undefined} = {},
): ShownPolicy {
  const {serviceId, digest, previous, since, at, by, why, approvedBy, policy} = version
  return {
    service: serviceId,
    digest: `sha256:${digest}`,
    state,
    ...(previous !== undefined && {previous: `sha256:${previous}`}),
    ...(since !== undefined && {since: toIso(since)}),
    ...(at > 0 && {proposedAt: toIso(at)}),
    by,
    ...(why !== undefined && {why}),
    approvedBy,
    changes: comparePolicies(before, policy),
    ...(trust !== undefined && {trust}),
    policy,
  }
}

// All versions of a service, oldest first, then those that are proposed.
export function listShownPolicies({past, inForce, proposed}: Policies, serviceId: string): ShownPolicy[] {
  const own = past.filter((version) => version.serviceId === serviceId)
  const current = inForce.get(serviceId)
  return [
    ...own.map((version, index) =>
      toShownPolicy(version, version.digest === current?.digest ? 'IN_FORCE' : 'PAST', {
        before: own[index - 1]?.policy,
      }),
    ),
    ...proposed
      .filter((version) => version.serviceId === serviceId)
      .map((version) => toShownPolicy(version, 'PROPOSED', {before: current?.policy})),
  ]
}

const formatFacts = (facts: readonly PolicyFact[]) =>
  facts.flatMap(({label, lines}) => lines.map((line) => `${label}: ${line}`))

const formatApprovers = (_: unknown, {approvedBy, state, previous}: ShownPolicy) => {
  if (approvedBy.length > 0) return [...approvedBy]
  if (state === 'PROPOSED') return ['nobody yet']
  return [previous === undefined ? 'nobody: the first version is trusted as it is' : 'nobody: none were wanted']
}

export const policyView: View<ShownPolicy> = {
  singular: 'policy',
  plural: 'versions',
  covers: [],
  columns: [
    {name: 'digest', header: 'DIGEST', value: (p) => p.digest, rank: 0, widthMin: 20},
    {name: 'state', header: 'STATE', value: (p) => p.state, rank: 0, colour: 'status'},
    {name: 'since', header: 'IN FORCE SINCE (UTC)', value: (p) => p.since, rank: 1, format: formatMinute},
    {name: 'approvedBy', header: 'APPROVED BY', value: (p) => p.approvedBy, format: formatApprovers, rank: 1},
    {name: 'by', header: 'ENTERED BY', value: (p) => p.by, rank: 2},
    {name: 'changes', header: 'CHANGES', value: (p) => p.changes, rank: 3},
    {name: 'why', header: 'WHY', value: (p) => p.why, rank: 4},
    {name: 'service', header: 'SERVICE', value: (p) => p.service, rank: 5, onRequest: true},
    {name: 'previous', header: 'FOLLOWS', value: (p) => p.previous, rank: 5, onRequest: true},
    {
      name: 'proposedAt',
      header: 'ENTERED (UTC)',
      value: (p) => p.proposedAt,
      rank: 5,
      format: formatMinute,
      onRequest: true,
    },
    {name: 'trust', header: 'TRUST', value: (p) => p.trust, rank: 5, onRequest: true},
    {
      name: 'policy',
      header: 'POLICY',
      value: (p) => p.policy,
      format: (_, {policy}) => formatFacts(describePolicy(policy)),
      rank: 5,
      onRequest: true,
    },
  ],
}
