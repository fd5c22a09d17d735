// Sends an event of one's own, signed, to the endpoints of the sandbox or to a URL.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {bodyFlags} from '../../cli/flags/body-flags.ts'
import {SvcCommand} from '../../cli/command.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {toDryRunResult} from '../../cli/body/reject-problems.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {customerUpdatedName} from '../../contract/vocabulary.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {eventTypes} from '../../events/event.ts'
import {createForwardFlags, secretFileFlag} from '../../events/flags.ts'
import {sentEventView} from '../../events/history-view.ts'
import {
  type SentEvent,
  buildOwnEvent,
  buildSignedHeaders,
  createMadeUpEventId,
  describeNotAccepted,
  findSandboxSecret,
  sendToEndpoints,
  sendToUrl,
} from '../../events/send-event.ts'
import {type WebhookSecrets, findSecrets} from '../../events/signature.ts'
import {parseTargets} from '../../events/targets.ts'
import type {Caller} from '../../profiles/caller.ts'
import {findSandbox, readServiceState} from '../../transport.ts'

interface OwnEvent {
  type: string
  customerId: string
  body: string
}

export default class EventsTrigger extends SvcCommand {
  static override view = sentEventView
  static override summary = 'Send an event of your own, signed'
  static override description =
    'Reads the customer and sends it as an event; --set changes fields of the body that is sent, not of the customer. On the sandbox the event goes to all its endpoints, `svc events listen` included, and is kept like any other. With --forward-to it goes to a URL, signed with your secret; on the sandbox, by default, with that of a running `svc events listen`. No service can be told to send an event, so on another profile --forward-to is required.'
  static override examples = [
    {
      description: 'Send the current customer to all endpoints of the sandbox',
      command: 'svc events trigger customer.updated -p sandbox --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    },
    {
      description: 'Pretend that verification rejected the customer, and see what your code answers',
      command:
        'svc events trigger customer.updated --customer ID --set data.customerStatus=REJECTED --forward-to http://localhost:3000/hook --secret-file webhook.secret',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'finding')
  static override args = {
    type: Args.string({description: 'Type of the event, customer.updated by default', options: [...eventTypes]}),
  }
  static override flags = {
    customer: customerFlag('Customer that the event is about'),
    set: bodyFlags.set,
    ...createForwardFlags('Send it to this URL instead'),
    'secret-file': secretFileFlag,
    'dry-run': Flags.boolean({summary: 'Print the event without sending it', env: 'SVC_DRY_RUN'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsTrigger)
    const {type = customerUpdatedName} = args
    const urls = parseTargets(flags['forward-to'], flags['allow-remote'])
    const assignments = flags.set ?? []
    // A wrong path is rejected before anything is read.
    buildOwnEvent(type, {}, 0, assignments)
    const caller = await this.caller()
    const secrets =
      urls.length > 0 && !flags['dry-run'] ? await this.#requireSecrets(caller, urls, flags['secret-file']) : undefined
    const finder = this.finder(caller)
    const customerId = await findCustomerId(finder, toFlagReference('customer', flags.customer))
    const client = await finder.connect()
    const customer = await client.customers.get({customerId})
    const {nowMs} = await readServiceState(caller)
    const body = buildOwnEvent(type, customer, nowMs, assignments)
    if (flags['dry-run']) {
      return toDryRunResult({
        method: 'POST',
        path: urls[0] ?? '(every endpoint of the sandbox)',
        body: JSON.parse(body),
      })
    }
    const message = {eventId: createMadeUpEventId(), type, body: Buffer.from(body)}
    const sent = secrets
      ? await Promise.all(urls.map((url) => sendToUrl(message, url, buildSignedHeaders(secrets, message, false))))
      : await this.#sendToSandbox(caller, {type, customerId, body})
    return this.finishWrite(listResult(sent, 'deliveries', sentEventView, {failure: describeNotAccepted(sent)}))
  }

  async #requireSecrets(caller: Caller, urls: readonly string[], file: string | undefined): Promise<WebhookSecrets> {
    const given = findSecrets(file)
    if (given) return given
    const sandbox = await findSandbox(caller)
    const found = sandbox && findSandboxSecret(sandbox, urls)
    if (!found) throw badUsage('Missing --secret-file', 'Or set SVC_WEBHOOK_SECRET: the event is signed for this URL')
    this.notice('Signed with a secret of the sandbox. --secret-file or SVC_WEBHOOK_SECRET gives another.')
    return found
  }

  async #sendToSandbox(caller: Caller, event: OwnEvent): Promise<SentEvent[]> {
    const sandbox = await findSandbox(caller)
    if (!sandbox) {
      throw badUsage(
        `${caller.label} cannot be told to send an event`,
        'Send it yourself with --forward-to URL, or use -p sandbox',
      )
    }
    if (!sandbox.webhooks.list().some(({status}) => status === 'ENABLED')) {
      throw badUsage(
        'Nothing receives the events of the sandbox',
        'Run `svc events listen -p sandbox` in another terminal, add an endpoint with `svc sandbox webhooks add URL`, or give --forward-to URL',
      )
    }
    return sendToEndpoints(sandbox, sandbox.webhooks.openEvent(event))
  }
}
