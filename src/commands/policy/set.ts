// Enters a new version of the policy that binds the payments of a service.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {createFileStore} from '../../controls/approval-store.ts'
import {comparePolicies} from '../../controls/policy.ts'
import {policyView, toShownPolicy} from '../../controls/view.ts'
import {getExitCodes} from '../../errors.ts'
import {proposePolicy, readJournalPolicies, readPolicyFile} from '../../payments/context/propose-policy.ts'
import {readServiceTraits} from '../../transport.ts'

const sameNotice = 'This is the policy that is in force; nothing was changed.'

export default class PolicySet extends SvcCommand {
  static override view = policyView
  static override summary = 'Set the policy that binds what is paid at a service'
  static override description = `The policy says who may approve and run what is paid, and how much of it. It is kept in the journal, in versions, and binds every command and every worker that uses the journal (\`svc docs approvals\`).
The first version is trusted as it is. A later one comes into force when as many approvers of the version in force have signed it as that version asks for, at least one; until then it is proposed, this command ends with 10, and the old one binds.
Approvals that lie beside the file are read, too: for approvers who cannot reach the journal, write the proposal to a file with \`svc policy show --proposed -o yaml\`.`
  static override examples = [
    {description: 'Set or propose a policy', command: 'svc policy set policy.yaml --why "a new approver"'},
    {description: 'Let the others approve it', command: 'svc approve --policy'},
  ]
  static override exits = getExitCodes('usage', 'limit', 'unreachable')
  static override args = {
    file: Args.string({description: 'The policy, JSON or YAML (- for standard input)', required: true}),
  }
  static override flags = {
    why: Flags.string({summary: 'Why it changes, for the journal', helpValue: 'TEXT'}),
    'dry-run': Flags.boolean({summary: 'Show what would change, and change nothing', env: 'SVC_DRY_RUN'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PolicySet)
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const {file} = args
    const approvals = file === '-' ? [] : await createFileStore(file).list()
    const proposal = {...(await readPolicyFile(file, traits.serviceId)), approvals, why: flags.why}
    if (flags['dry-run']) {
      const {policies} = await readJournalPolicies(traits.journal)
      const changes = comparePolicies(policies.inForce.get(traits.serviceId)?.policy, proposal.policy)
      for (const text of changes.length > 0 ? [...changes, 'Nothing was changed.'] : [sameNotice]) this.notice(text)
      return undefined
    }
    const origin = {caller, traits, notice: (text: string) => this.notice(text)}
    const {before, entered, failure} = await proposePolicy(origin, proposal)
    const {version, state} = entered
    if (comparePolicies(before, proposal.policy).length === 0) this.notice(sameNotice)
    return this.finishWrite(itemResult(toShownPolicy(version, state, {before}), policyView, failure))
  }
}
