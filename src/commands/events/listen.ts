// Receives events until it is stopped. Each one is stored before it is answered, shown and forwarded.
import {SvcCommand} from '../../cli/command.ts'
import {isLoopbackHost} from '../../values/urls.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {createReporter} from '../../events/reporter.ts'
import {createSubscribe, isOwnHost, startListener} from '../../events/listener.ts'
import {findSecrets} from '../../events/signature.ts'
import {getEventStoreFile, openEventStore} from '../../events/store.ts'
import {parseTargets} from '../../events/targets.ts'
import {listenFlags} from '../../events/flags.ts'
import {findCaller} from '../../profiles/caller.ts'
import {waitForStopSignal} from '../../cli/exit.ts'

export default class EventsListen extends SvcCommand {
  static override summary = 'Receive webhook events until stopped'
  static override description =
    'On the sandbox nothing has to be set up: its events arrive here, signed, while this runs. Stores each event before acknowledging it, so that no event is lost if a process is killed. With a secret, events are verified according to Standard Webhooks, and events with a wrong signature are rejected. Without a secret nothing is verified, so treat an event as a hint only and read the customer from the service. Duplicates are detected by event id, or else by content. --forward-to sends the same bytes and headers on, and retries until they are accepted, across restarts too. With -o jsonl (or --json) each event, state and outcome is a line of JSON.'
  static override examples = [
    {description: 'Receive the events of the sandbox', command: 'svc events listen -p sandbox'},
    {
      description: 'Forward them to your own code',
      command: 'svc events listen -p sandbox --forward-to http://localhost:3000/hook',
    },
  ]
  static override exits = getExitCodes('usage')
  static override flags = listenFlags

  async run() {
    const {flags} = await this.parse(EventsListen)
    if (this.format === 'csv' || this.format === 'yaml') {
      throw badUsage(`Events cannot be printed as ${this.format}`, 'Use -o jsonl')
    }
    const targets = parseTargets(flags['forward-to'], flags['allow-remote'])
    const secrets = findSecrets(flags['secret-file'])
    const canSubscribe = !secrets && !flags['no-endpoint'] && isOwnHost(flags.host)
    const subscribe = canSubscribe ? await this.#createSubscribe() : undefined
    const store = openEventStore(flags.store ?? getEventStoreFile())
    try {
      const reporter = await createReporter({
        isJson: this.format !== 'table',
        quiet: flags.quiet,
        notice: (text) => this.notice(text),
      })
      const stopped = waitForStopSignal(flags.timeout)
      const listener = await startListener({
        store,
        secrets,
        subscribe,
        targets,
        reporter,
        host: flags.host,
        port: flags.port ?? 0,
        path: flags.path,
        replay: flags.replay ? {ids: flags.event ?? [], sinceMs: flags.since} : undefined,
      })
      this.#explain(flags, secrets ? 'secret' : subscribe ? 'sandbox' : 'nothing', listener.replayed)
      await listener.runUntil(stopped)
    } finally {
      store.close()
    }
    return undefined
  }

  #createSubscribe() {
    const caller = findCaller(this.flags.profile)
    if (!caller) this.notice('No profile is set up. With -p sandbox, the events of the sandbox arrive by themselves.')
    return createSubscribe(caller, (text) => this.notice(text))
  }

  #explain(
    {host, replay, since}: {host: string; replay: boolean; since: number | undefined},
    verifiedBy: 'secret' | 'sandbox' | 'nothing',
    sent: number,
  ): void {
    if (replay) this.notice(`Sending ${sent} stored ${sent === 1 ? 'event' : 'events'} again.`)
    else if (since !== undefined) this.notice('--since has no effect without --replay.')
    if (verifiedBy === 'sandbox') {
      this.notice('The sandbox sends its events here, signed, until this stops. To send one now, in another terminal:')
      this.notice('  svc events trigger customer.updated -p sandbox --customer ID')
      this.notice('Your code verifies them with the secret that `svc sandbox webhooks list --show-secret` shows.')
    }
    if (verifiedBy === 'nothing') {
      this.notice('No secret: nothing is verified, and every event is only a hint (--secret-file).')
    }
    if (!isLoopbackHost(host)) this.notice(`Other machines can send events to ${host}.`)
  }
}
