// What `svc customers create`, `update` and `fix` have in common: they send data that was checked, keep what was typed for a
// correction, and wait for the outcome if asked.
import {rejectUnlessAccepted, toDryRunResult} from '../cli/body/reject-problems.ts'
import {SvcCommand} from '../cli/command.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import type {LooseCustomer} from '../contract/loose.ts'
import type {Caller} from '../profiles/caller.ts'
import type {Body} from '../values/body-paths.ts'
import {keepSentAnswers} from './answers.ts'
import type {CheckedBody} from './check-body.ts'
import {hasContent} from '../values/records.ts'
import type {SubmissionFlags} from './flags.ts'
import {customerView} from './view.ts'
import {createCustomerTarget} from './watch.ts'
import {describeNextStep} from './words.ts'

interface Submission<T> {
  write: {method: string; path: string}
  checked: CheckedBody<T>
  // The same data with documents as paths.
  given: Body
  // Whether a person typed it, and has seen the doubts about it in a review. What came from a file is there.
  isTyped: boolean
  // Whether it may leave out what verification needs.
  isPartial: boolean
  caller?: Caller | undefined
  send: (client: Client, body: T, caller: Caller) => Promise<LooseCustomer>
}

export abstract class SubmissionCommand extends SvcCommand {
  static override view = customerView

  protected async submit<T extends {kycData?: unknown; kybData?: unknown}>(
    {write, checked, given, isTyped, isPartial, send, ...known}: Submission<T>,
    flags: SubmissionFlags,
  ): Promise<Result> {
    const {body, shown, problems} = checked
    const doubts = problems.filter(({isWarning, isLeftOut}) => !(isTyped && isWarning) && !(isPartial && isLeftOut))
    await rejectUnlessAccepted(doubts, shown, this.warningPolicy(flags))
    if (flags['dry-run']) return toDryRunResult({...write, body: flags.reveal ? body : shown})
    const caller = known.caller ?? (await this.writer())
    // Connects only now, so that the time to answer questions does not count against --timeout.
    const client = await this.client(caller)
    const customer = await this.write(caller, write, {}, () => send(client, body, caller))
    keepSentAnswers(caller, customer.customerId, given, isTyped && !flags['no-draft'])
    const isSubmitted = [body.kycData, body.kybData].some(hasContent)
    const kind = isSubmitted ? 'submission' : 'finalStatus'
    const result = flags.wait
      ? await this.watch(createCustomerTarget(kind, client, toText(customer.customerId), customer))
      : itemResult(customer, customerView)
    return this.finishWrite(result, describeNextStep(result, isSubmitted))
  }
}
