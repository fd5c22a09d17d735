// Tells of what a listener hears: lines for people, events as data and the rest as notices; or all of it as lines of JSON.
import {type Painter, createPainter} from '../cli/output/colour.ts'
import {toJsonLine} from '../cli/output/formats.ts'
import {writeErrUncleaned, writeOut} from '../cli/output/streams.ts'
import {
  formatEvent,
  toEventJson,
  formatFetch,
  toFetchJson,
  formatForward,
  toForwardJson,
  formatRejection,
  toRejectionJson,
} from './view.ts'
import type {ListenReporter} from './listener.ts'
import {OutputQueue} from './output-queue.ts'
import {withoutQuery} from './targets.ts'

interface ReporterOptions {
  isJson: boolean
  quiet: boolean
  notice: (text: string) => void
}

export async function createReporter(options: ReporterOptions): Promise<ListenReporter> {
  const outlet = new OutputQueue(writeOut)
  const report = options.isJson ? createJsonReporter(outlet) : await createTextReporter(outlet, options)
  return {...report, isBehind: () => outlet.isBehind, drain: () => outlet.drain(), failure: outlet.failure}
}

type ReportMethods = Pick<
  ListenReporter,
  'reportState' | 'reportEvent' | 'reportRejection' | 'reportForward' | 'reportFetch'
>

function createJsonReporter(outlet: OutputQueue): ReportMethods {
  const say = (value: object, written?: () => void) => outlet.add(toJsonLine(value), written)
  return {
    reportState: (state, about) => say({state, ...about}),
    reportEvent: (recorded, written) => say(toEventJson(recorded), written),
    reportRejection: (refusal) => say(toRejectionJson(refusal)),
    reportForward: (outcome) => say(toForwardJson({...outcome, target: withoutQuery(outcome.target)})),
    reportFetch: (fetched) => say(toFetchJson(fetched)),
  }
}

const sentences = {
  listening: ({url}: {url?: string}) => `Listening at ${url}. Ctrl-C stops it.`,
  lost: ({reason}: {reason?: string}) => `Lost: ${reason}. Senders are told to try again.`,
  // Beside the ^C that a terminal shows, a line of its own.
  stopped: () => `${process.stderr.isTTY ? '\n' : ''}Stopped; everything that was answered is stored.`,
}

async function createTextReporter(outlet: OutputQueue, {quiet, notice}: ReporterOptions): Promise<ReportMethods> {
  const [painter, errPainter] = await Promise.all([createPainter(process.stdout), createPainter(process.stderr)])
  const remark = (line: (painter: Painter) => string) => {
    if (!quiet) writeErrUncleaned(line(errPainter))
  }
  return {
    reportState: (state, about) => notice(sentences[state](about)),
    reportEvent: (recorded, written) => outlet.add(formatEvent(recorded, painter), written),
    reportRejection: (refusal) => remark((paint) => formatRejection(refusal, paint)),
    reportForward: (outcome) => remark((paint) => formatForward(outcome, withoutQuery(outcome.target), paint)),
    reportFetch: (fetched) => outlet.add(formatFetch(fetched, painter)),
  }
}
