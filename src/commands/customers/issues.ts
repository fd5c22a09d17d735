// Lists the verification issues of a customer.
import {SvcCommand} from '../../cli/command.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {chooseWaitingCustomer, findCustomerId} from '../../customers/find-customer.ts'
import {customerArgs} from '../../customers/flags.ts'
import {listResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import {readCustomer} from '../../customers/answers.ts'
import {describeCorrection} from '../../customers/words.ts'
import {createIssueView} from '../../customers/issues-view.ts'

export default class CustomersIssues extends SvcCommand {
  static override view = createIssueView()
  static override summary = 'List the verification issues of a customer'
  static override description =
    'Shows what each code means, who can resolve it and which fields it affects. With --json, issues are printed exactly as the service sent them. `svc codes` explains all codes.'
  static override examples = [
    {
      description: 'List what needs to be corrected',
      command: 'svc customers issues 1599214d-60c4-4ce0-b276-8e365cd63247 -p sandbox',
    },
    {
      description: 'List the fields that each issue affects',
      command: 'svc customers issues 1599214d-60c4-4ce0-b276-8e365cd63247 --columns code,fields',
    },
  ]
  static override args = customerArgs

  async run() {
    const {args} = await this.parse(CustomersIssues)
    const finder = this.finder()
    // Those who have something to correct are offered first. If nobody has, a person may look at any customer.
    const isOpen = args.id === undefined && this.isInteractive
    const waiting = isOpen ? await chooseWaitingCustomer(finder, await finder.getOrganizationId()) : undefined
    const customerId = waiting ?? (await findCustomerId(finder, toArgumentReference('customer', args.id)))
    const client = await finder.connect()
    const customer = await readCustomer(client, {customerId})
    const {customerStatus, verificationIssues} = customer
    const issues = Array.isArray(verificationIssues) ? verificationIssues : []
    // An empty list can mean different things, so the notice about it names the status.
    const plural = `verification issues; the customer is ${toText(customerStatus) || 'of no known status'}`
    if (issues.length === 0 && this.format !== 'table') this.notice(`No ${plural}.`)
    const result = listResult(issues, 'verificationIssues', {...createIssueView(customerId), plural})
    return this.showWithNotes(result, describeCorrection(customer))
  }
}
