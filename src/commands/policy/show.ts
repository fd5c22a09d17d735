// Shows the policy that binds what is paid at a service, where the trust in it comes from, and its earlier versions.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult, listResult} from '../../cli/output/result.ts'
import {describeTrust} from '../../controls/trust.ts'
import {findWaiting, requireWaiting} from '../../controls/policies.ts'
import {listShownPolicies, policyView, toShownPolicy} from '../../controls/view.ts'
import {SvcError, getExitCodes} from '../../errors.ts'
import {readJournalPolicies} from '../../payments/context/propose-policy.ts'
import {readServiceTraits} from '../../transport.ts'
import {svc} from '../../values/text.ts'

export default class PolicyShow extends SvcCommand {
  static override view = policyView
  static override summary = 'Show the policy of a service, and who could change it'
  static override description =
    'Sends no requests. --proposed shows the version that waits for approvals: its YAML is what `svc approve FILE` and `svc policy set FILE` read. --history lists all versions, who approved them and what each changed; those that wait for approvals come last.'
  static override examples = [
    {description: 'Show the policy in force', command: 'svc policy show'},
    {
      description: 'Write the proposed version to a file',
      command: 'svc policy show --proposed -o yaml > proposal.yaml',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unreachable')
  static override flags = {
    proposed: Flags.boolean({summary: 'Show the version that waits for approvals', exclusive: ['history']}),
    history: Flags.boolean({summary: 'List all versions'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(PolicyShow)
    const {serviceId, journal} = await readServiceTraits(await this.caller())
    const {policies, role} = await readJournalPolicies(journal)
    if (flags.history) return listResult(listShownPolicies(policies, serviceId), 'versions', policyView)
    const inForce = policies.inForce.get(serviceId)
    const trust = describeTrust(journal, {serviceId, digest: inForce?.digest}, role)
    if (flags.proposed) {
      const version = requireWaiting(policies, serviceId)
      return itemResult(toShownPolicy(version, 'PROPOSED', {before: inForce?.policy, trust}), policyView)
    }
    if (!inForce) {
      const hint = `Set one with ${svc`policy set FILE`}`
      const message = `The journal has no policy for ${serviceId}`
      throw new SvcError({error: 'NOT_FOUND', kind: 'notFound', message, hint})
    }
    if (findWaiting(policies, serviceId))
      this.notice(`Another version waits for approvals: see ${svc`policy show --proposed`}.`)
    const before = policies.past.find(({digest}) => digest === inForce.previous)?.policy
    return itemResult(toShownPolicy(inForce, 'IN_FORCE', {before, trust}), policyView)
  }
}
