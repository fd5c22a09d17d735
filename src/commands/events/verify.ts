// Verifies the signatures of stored events, offline.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {SvcError, badUsage, getExitCodes} from '../../errors.ts'
import {findEventOrFile} from '../../events/find.ts'
import {WebhookSecrets, findSecrets} from '../../events/signature.ts'
import {getEventStoreFile} from '../../events/store.ts'
import {type VerificationResult, verifyEvents} from '../../events/verify.ts'
import {secretFileFlag, storeFlag} from '../../events/flags.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {verificationView} from '../../events/history-view.ts'
import {findCaller} from '../../profiles/caller.ts'
import {findSandbox} from '../../transport.ts'

export default class EventsVerify extends SvcCommand {
  static override view = verificationView
  static override summary = 'Verify the signatures of stored events, offline'
  static override description =
    'Checks the stored bytes against the stored headers according to Standard Webhooks. The age of a signature is measured at the time the event arrived, not now. Without an id, all stored events are verified. The secret comes from --secret-file or SVC_WEBHOOK_SECRET; with -p sandbox, svc knows it. A file contains what `svc events verify ID --json` prints: headers, body and receivedAt.'
  static override examples = [
    {
      description: 'Verify a stored event',
      command: 'svc events verify evt_0000000000000001 --secret-file webhook.secret',
    },
    {
      description: 'Verify all stored events, and use the exit code',
      command: 'svc events verify --secret-file webhook.secret',
    },
  ]
  static override exits = getExitCodes('notFound', 'finding')
  static override args = {
    event: Args.string({
      description: 'ID of a stored event or its first 8 or more characters, a file, or - for standard input',
    }),
  }
  static override flags = {'secret-file': secretFileFlag, store: storeFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsVerify)
    const secrets = findSecrets(flags['secret-file']) ?? (await this.#findSandboxSecrets())
    const storeFile = flags.store ?? getEventStoreFile()
    const event = args.event === undefined ? undefined : await findEventOrFile(this.finder(), storeFile, args.event)
    const pages = verifyEvents(secrets, event, storeFile)
    if (args.event === undefined) return createListResult(pages)
    const [[only] = []] = await Array.fromAsync(pages)
    return only && itemResult(only, verificationView, createFailure(1, only.verified ? [] : [only]))
  }

  async #findSandboxSecrets(): Promise<WebhookSecrets> {
    const caller = findCaller(this.flags.profile)
    const sandbox = caller && (await findSandbox(caller))
    if (!sandbox) throw badUsage('Missing --secret-file', missingSecretHint)
    try {
      this.notice('The secrets are those of the sandbox; --secret-file or SVC_WEBHOOK_SECRET gives another.')
      return new WebhookSecrets(sandbox.webhooks.listSecrets(), 'The sandbox')
    } finally {
      sandbox.close()
    }
  }
}

const missingSecretHint =
  'It has the secret with which the service signs its events (whsec_…), which you were given with the endpoint. Or set SVC_WEBHOOK_SECRET; with -p sandbox, svc knows the secret of `svc events listen`'

// Whether the command fails is known after the last page was printed.
function createListResult(verified: AsyncIterable<VerificationResult[]>): Result {
  const unverified: VerificationResult[] = []
  let count = 0
  async function* pages() {
    for await (const items of verified) {
      count += items.length
      unverified.push(...items.filter((item) => !item.verified))
      yield {items, envelope: {events: items}}
    }
    if (count === 0) yield {items: [], envelope: {events: []}}
  }
  return {
    kind: 'list',
    key: 'events',
    view: verificationView,
    pages: pages(),
    get failure() {
      return createFailure(count, unverified)
    },
  }
}

function createFailure(count: number, unverified: readonly VerificationResult[]): SvcError | undefined {
  const [first] = unverified
  if (!first) return undefined
  const what =
    count === 1
      ? `The event ${first.id} is not verified: ${first.reason}`
      : `${unverified.length} of ${count} events are not verified`
  return new SvcError({
    error: 'NOT_VERIFIED',
    kind: 'finding',
    message: what,
    hint: 'Check that this is the secret of the endpoint. Treat an unverified event as a hint only, and read the customer from the service',
  })
}
