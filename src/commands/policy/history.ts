// Lists the versions of the policy of a service.
import {SvcCommand} from '../../cli/command.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {listShownPolicies, policyView} from '../../controls/policy-view.ts'
import {getExitCodes} from '../../errors.ts'
import {readJournalPolicies} from '../../payments/controls/read-policies.ts'
import {readServiceTraits} from '../../transport.ts'

export default class PolicyHistory extends SvcCommand {
  static override view = policyView
  static override summary = 'List the versions of the policy, who approved them, and what each changed'
  static override description = 'Sends no requests. Versions that wait for approvals come last.'
  static override examples = [
    {description: 'List all versions', command: 'svc policy history'},
    {
      description: 'Show who changed what, and why',
      command: 'svc policy history --columns since,by,approvedBy,changes,why',
    },
  ]
  static override exits = getExitCodes('usage', 'unreachable')

  async run(): Promise<Result> {
    await this.parse(PolicyHistory)
    const {serviceId, journal} = await readServiceTraits(await this.caller())
    const {policies} = await readJournalPolicies(journal)
    return listResult(listShownPolicies(policies, serviceId), 'versions', policyView)
  }
}
