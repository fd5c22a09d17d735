// What some commands of the sandbox do besides calling their operation and printing its result.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Interfaces} from '@oclif/core'
import * as Flags from '@oclif/core/flags'
import {createPainter} from '../cli/output/colour.ts'
import type {Format} from '../cli/output/print.ts'
import {type Result, itemResult, listResult} from '../cli/output/result.ts'
import {writeOut} from '../cli/output/streams.ts'
import {renderJsonLine} from '../cli/output/formats.ts'
import {badUsage} from '../errors.ts'
import type {CallOperation, Control, OperationOutput} from '../sandbox-control.ts'
import type {OperationInput, OperationName} from '../sandbox/operations/operations.ts'
import {transactionView} from '../transactions/view.ts'
import {
  faultView,
  renderRequestLine,
  requestView,
  sandboxAccountView,
  sandboxView,
  webhookDeliveryView,
} from './views.ts'

// One run of a command.
export interface CommandRun {
  // The input of the operation, by field.
  values: Record<string, unknown>
  flags: Readonly<Record<string, unknown>>
  format: Format
  notice: (text: string) => void
  requireAll: (missing: ReadonlyArray<string | false>) => void
}

interface Special<N extends OperationName> {
  flags?: Interfaces.FlagInput
  // Checks and completes the input before the sandbox is opened.
  prepare?(run: CommandRun): void
  // Prints the result in its own way.
  finish?(run: CommandRun, result: OperationOutput<N>, control: Control): Promise<Result> | Result
  // Calls the operation in its own way.
  replace?(run: CommandRun, control: Control): Promise<Result>
}

const followPauseMs = 200

// Yields the latest requests, and then new ones without end.
async function* followRequests(call: CallOperation, {limit, ...filter}: OperationInput<'requests'>) {
  let {newest, requests} = await call('requests', {limit, ...filter})
  for (;;) {
    if (requests.length > 0) yield {items: requests, envelope: {requests}}
    await sleep(followPauseMs)
    ;({newest, requests} = await call('requests', {after: newest, ...filter}))
  }
}

async function writeRequestLines(pages: ReturnType<typeof followRequests>): Promise<undefined> {
  const painter = await createPainter(process.stdout)
  for await (const {items} of pages) await writeOut(items.map((item) => renderRequestLine(item, painter)).join(''))
}

const specials: {[N in OperationName]?: Special<N>} = {
  reset: {
    finish: ({notice}, result) => {
      if (result.apiKey !== undefined)
        notice(`The API key is now ${result.apiKey}: clients of a running server need it.`)
      return itemResult(result, sandboxView)
    },
  },
  status: {
    finish: async (_, status, control) => itemResult({...status, ...(await control.findServer())}, sandboxView),
  },

  seed: {
    finish: ({notice}, {added, ...status}) => {
      notice(`Added ${added} customers.`)
      return itemResult(status, sandboxView)
    },
  },

  'faults.list': {
    finish: (_, {behaviours, faults}) => listResult(faults, 'faults', faultView, {extraFields: {behaviours}}),
  },

  'faults.clear': {
    finish: ({notice}, {faults}) => {
      const {length} = faults
      if (length > 0) notice(`Removed ${length} ${length === 1 ? faultView.singular : faultView.plural}.`)
      return listResult(faults, 'faults', faultView)
    },
  },

  'faults.set': {
    prepare({values: {reset, ...changes}, requireAll}) {
      const isGiven = Object.values(changes).some((value) => value !== undefined)
      requireAll([!reset && !isGiven && 'a behaviour, such as --idempotency or --list-lag, or --reset'])
    },
  },

  fund: {
    finish: (_, funded) => itemResult({...funded}, 'transactionId' in funded ? transactionView : sandboxAccountView),
  },

  requests: {
    flags: {
      follow: Flags.boolean({summary: 'Keep printing new requests'}),
    },
    prepare({flags: {follow}, format}) {
      if (follow && (format === 'json' || format === 'yaml')) {
        throw badUsage(`--follow never ends, and ${format} is one whole`, 'Use -o jsonl or -o csv')
      }
      return undefined
    },
    async replace({flags: {follow}, values, format}, {call}) {
      if (!follow) return listResult((await call('requests', values)).requests, 'requests', requestView)
      const pages = followRequests(call, values)
      if (format === 'table') return writeRequestLines(pages)
      return {kind: 'list', key: 'requests', view: requestView, pages}
    },
  },

  // The token alone, so that a shell can use it.
  token: {
    async replace({format, notice, values}, {call}) {
      const issued = await call('token', values)
      if (format === 'jsonl') return writeOut(renderJsonLine(issued)).then(() => undefined)
      if (format !== 'table') return itemResult(issued)
      await writeOut(`${issued.token}\n`)
      notice(`It is valid until ${issued.expiresAt}, on the clock of the sandbox.`)
      return undefined
    },
  },

  'webhooks.deliveries': {
    finish({notice}, {deliveries, more}) {
      const {length} = deliveries
      if (more) notice(`${length} ${length === 1 ? 'delivery' : 'deliveries'} shown; more follow: --limit N.`)
      return listResult(deliveries, 'deliveries', webhookDeliveryView)
    },
  },
}

export const findSpecial = (name: OperationName): Special<never> => specials[name] ?? {}
