// Binds a caller to the policy in force: what it wants of him, and why he may not write, if so.
import type {SvcError} from '../errors.ts'
import {type Operator, nameOperator} from './operator.ts'
import {svc} from '../values/text.ts'
import {isSandboxId} from '../values/urls.ts'
import type {Controls} from './decide.ts'
import {createRefusal, readWaitMs} from './limits.ts'
import {type Policies, type PolicyVersion, readPolicies} from './policies.ts'
import {type Policy, mergeLimits} from './policy.ts'
import type {PolicyEntries} from './decisions.ts'
import {type Trust, findTrustProblem} from './trust.ts'

// Who runs svc, as the system and the database know him.
type RunningUser = Operator & {role?: string | undefined}

export interface PolicySituation {
  serviceId: string
  entries: PolicyEntries
  running: RunningUser
  trust: Trust
  // The sandbox in this process, which moves no money and needs no policy of its own beside those of other services.
  isEmbedded: boolean
}

// The policy of a sandbox counts for that sandbox alone, not for whoever takes its id.
const findVersion = ({serviceId, isEmbedded}: PolicySituation, {inForce}: Policies): PolicyVersion | undefined =>
  isSandboxId(serviceId) && !isEmbedded ? undefined : inForce.get(serviceId)

// Whoever names another service is not free of the policy. A policy of the sandbox is for nobody else.
function findRefusal(situation: PolicySituation, policies: Policies): SvcError | undefined {
  const {serviceId, trust, isEmbedded} = situation
  const version = findVersion(situation, policies)
  const other = policies.inForce.keys().find((name) => !isSandboxId(name))
  if (!version && other !== undefined && !isEmbedded) {
    return createRefusal(
      'NO_POLICY',
      `The journal has a policy for ${other} and none for ${serviceId}, so nothing is written there`,
      `Set one with ${svc`policy set FILE`}, which those who approve the first policy of the journal have to sign; nothing was sent`,
    )
  }
  const isPinned = trust.files.some(({services}) => Object.hasOwn(services, serviceId))
  const isExempt = isEmbedded && !version && !isPinned
  const problem = isExempt ? undefined : findTrustProblem(trust, serviceId, version?.digest)
  if (problem === undefined) return undefined
  const hint = `See ${svc`policy show`}; whoever may write the trust file enters the digest of the policy; nothing was sent`
  return createRefusal('POLICY_NOT_TRUSTED', problem, hint)
}

const matchesRunner = ({user, role}: RunningUser, runner: {user?: string | undefined; role?: string | undefined}) =>
  runner.user === undefined ? runner.role === role : runner.user === user

function findPayRefusal({running}: PolicySituation, {runners}: Policy): SvcError | undefined {
  if (!runners || runners.some((runner) => matchesRunner(running, runner))) return undefined
  const role = running.role === undefined ? '' : ` (the role ${running.role})`
  return createRefusal(
    'NOT_A_RUNNER',
    `The policy does not let ${running.user}${role} run what pays`,
    `See who may with ${svc`policy show`}; nothing was sent`,
  )
}

// Everything that the policy in force wants of a caller. The limits of its profile can only make it stricter.
export function bindControls(caller: Controls, situation: PolicySituation): Required<Omit<Controls, 'label'>> {
  const {serviceId, running} = situation
  const policies = readPolicies(situation.entries)
  const own = caller.binding?.own ?? {readOnly: caller.readOnly, spending: caller.spending}
  const version = findVersion(situation, policies)
  const policy = version?.policy ?? {}
  const runners = (policy.runners ?? []).filter((runner) => matchesRunner(running, runner))
  return {
    readOnly: own.readOnly || policy.readOnly === true,
    spending: mergeLimits(own.spending, policy),
    approvals: policy.approvers && {
      required: policy.approvals?.count ?? 0,
      above: policy.approvals?.above,
      approvers: policy.approvers,
    },
    coolDownMs: readWaitMs(policy.coolDown ?? '0') ?? 0,
    binding: {
      serviceId,
      own,
      version,
      mark: policies.mark,
      runner: {
        user: nameOperator(running),
        approvers: runners.flatMap(({approver}) => approver ?? []),
      },
      refusal: findRefusal(situation, policies),
      payRefusal: version && findPayRefusal(situation, policy),
    },
  }
}
