// Reports what a listener does. As text, events go to standard output and the rest to standard error; as JSON, everything
// goes to standard output, one object a line.
import {createPainter} from '../cli/output/colour.ts'
import {getErrorWidth, getOutputWidth, writeErrUncleaned, writeOut} from '../cli/output/streams.ts'
import {renderJsonLine} from '../cli/output/write-json.ts'
import {
  type LineStyle,
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
import {stripQuery} from './targets.ts'

interface ReporterOptions {
  isJson: boolean
  quiet: boolean
  notice: (text: string | readonly string[]) => void
}

export async function createReporter(options: ReporterOptions): Promise<ListenReporter> {
  const output = new OutputQueue(writeOut)
  const report = options.isJson ? createJsonReporter(output) : await createTextReporter(output, options)
  return {...report, isBehind: () => output.isBehind, drain: () => output.drain(), failure: output.failure}
}

type ReportMethods = Pick<
  ListenReporter,
  'reportState' | 'reportEvent' | 'reportRejection' | 'reportForward' | 'reportFetch'
>

function createJsonReporter(output: OutputQueue): ReportMethods {
  const add = (value: object, written?: () => void) => output.add(renderJsonLine(value), written)
  return {
    reportState: (state, about) => add({state, ...about}),
    reportEvent: (recorded, written) => add(toEventJson(recorded), written),
    reportRejection: (rejection) => add(toRejectionJson(rejection)),
    reportForward: (outcome) => add(toForwardJson({...outcome, target: stripQuery(outcome.target)})),
    reportFetch: (result) => add(toFetchJson(result)),
  }
}

const sentences = {
  listening: ({url}: {url?: string}) => `Listening at ${url}. Ctrl-C stops it.`,
  lost: ({reason}: {reason?: string}) => `Lost: ${reason}. Senders are asked to try again.`,
  // A terminal shows ^C at the start of the line, so the notice gets a line of its own.
  stopped: () => [...(process.stderr.isTTY ? [''] : []), 'Stopped; every event that got a 2xx reply is stored.'],
}

async function createTextReporter(output: OutputQueue, {quiet, notice}: ReporterOptions): Promise<ReportMethods> {
  const [painter, errPainter] = await Promise.all([createPainter(process.stdout), createPainter(process.stderr)])
  // The window may be resized while the listener runs.
  const getStyle = (): LineStyle => ({painter, width: getOutputWidth()})
  const writeRemark = (format: (style: LineStyle) => string) => {
    if (!quiet) writeErrUncleaned(format({painter: errPainter, width: getErrorWidth()}))
  }
  return {
    reportState: (state, about) => notice(sentences[state](about)),
    reportEvent: (recorded, written) => output.add(formatEvent(recorded, getStyle()), written),
    reportRejection: (rejection) => writeRemark((style) => formatRejection(rejection, style)),
    reportForward: (outcome) => writeRemark((style) => formatForward(outcome, stripQuery(outcome.target), style)),
    reportFetch: (result) => output.add(formatFetch(result, getStyle())),
  }
}
