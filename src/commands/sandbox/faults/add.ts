// Makes requests to the sandbox fail on purpose.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {badUsage} from '../../../errors.ts'
import type {FaultKind} from '../../../sandbox/service/faults/faults.ts'
import {parseDuration} from '../../../cli/flags/durations.ts'
import {wholeNumberParser} from '../../../cli/flags/shared.ts'
import {itemResult, type Result} from '../../../cli/output/result.ts'
import {faultView} from '../../../sandbox/views/requests-and-faults.ts'
import {openControl} from '../../../sandbox-control.ts'

const kinds = [
  ...([
    'refuse',
    'status',
    'html',
    'reset',
    'hang',
    'delay',
    'lose',
    'truncate',
    'garbage',
    'refuse-after',
  ] satisfies FaultKind[]),
  'drop-after',
] as const

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'] as const

const createNumberParser = (min: number) => wholeNumberParser(min, Number.MAX_SAFE_INTEGER)

async function parseProbability(text: string): Promise<number> {
  const value = Number(text)
  if (/^\d*\.?\d+$/.test(text) && value > 0 && value <= 1) return value
  throw badUsage(`--probability "${text}" is not a number above 0 and up to 1`, 'Write it as 0.3')
}

export default class SandboxFaultsAdd extends SvcCommand {
  static override summary = 'Make requests fail on purpose'
  static override description = `Not carried out: refuse, status and html (answered instead), reset (connection closed), hang (no answer).
Carried out: delay (late answer), lose and drop-after (no answer), truncate (half an answer), garbage (answer is not JSON), refuse-after (an error, 500 by default).
With --commit-after, a request of the first group is carried out after that time, although its caller saw it fail.
If several faults match a request, the oldest applies. In --path, {name} matches one segment and * matches anything.`
  static override examples = [
    {
      description: 'Create the next transaction, but lose the answer',
      command: 'svc sandbox faults add --method POST --path /transactions --kind lose --times 1',
    },
    {
      description: 'Break the connection, and create the transaction 90 seconds later',
      command: 'svc sandbox faults add --method POST --path /transactions --kind reset --commit-after 90s --times 1',
    },
    {
      description: 'Throttle a third of all reads',
      command:
        "svc sandbox faults add --method GET --path '*' --kind status --status 429 --retry-after 2 --probability 0.33",
    },
  ]
  static override flags = {
    kind: Flags.option({summary: 'Kind of failure', options: kinds})(),
    method: Flags.option({summary: 'HTTP method, or * for all (*)', options: methods})(),
    path: Flags.string({summary: 'Path, such as /customers/{customerId}, or * for all (*)'}),
    times: Flags.custom<number>({summary: 'How many times (always)', helpValue: 'N', parse: createNumberParser(1)})(),
    after: Flags.custom<number>({
      summary: 'Skip the first N matching requests (0)',
      helpValue: 'N',
      parse: createNumberParser(0),
    })(),
    probability: Flags.custom<number>({
      summary: 'Share of matching requests that fail (1)',
      helpValue: '0.3',
      parse: parseProbability,
    })(),
    status: Flags.custom<number>({
      summary: 'HTTP status of the answer',
      helpValue: 'N',
      parse: wholeNumberParser(200, 599),
    })(),
    'retry-after': Flags.custom<number>({
      summary: 'Retry-After header, in seconds',
      helpValue: 'N',
      parse: createNumberParser(0),
    })(),
    delay: Flags.string({summary: 'Delay before the answer or the failure, such as 2s', helpValue: 'DURATION'}),
    'commit-after': Flags.string({
      summary: 'Carry the request out this long after its failure, on the clock of the sandbox',
      helpValue: 'DURATION',
    }),
    ...controlFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(SandboxFaultsAdd)
    const {kind, method = '*', path = '*', times, after, probability, status, delay} = flags
    this.requireAll([kind === undefined && '--kind'])
    if (kind === undefined) return undefined
    const delayMs = delay === undefined ? undefined : parseDuration(delay, '--delay')
    const commitAfter = flags['commit-after']
    const commitAfterMs = commitAfter === undefined ? undefined : parseDuration(commitAfter, '--commit-after')
    const {call} = await openControl(flags)
    const fault = await call('faults.add', {
      kind: kind === 'drop-after' ? 'lose' : kind,
      method,
      path,
      times,
      after,
      probability,
      status,
      delayMs,
      commitAfterMs,
      retryAfterSeconds: flags['retry-after'],
    })
    return this.finishWrite(itemResult(fault, faultView))
  }
}
