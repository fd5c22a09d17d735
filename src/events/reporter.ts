// Reports what a listener does. As text, events go to standard output and the rest to standard error; as JSON, everything
// goes to standard output, one object a line.
import {createPainter} from '../cli/output/colour.ts'
import {getErrorWidth, getOutputWidth, writeErrUncleaned, writeOut} from '../cli/output/streams.ts'
import {renderJsonLine} from '../cli/output/formats.ts'
import type {ListenReporter} from './listener.ts'
import {stripQuery} from '../values/urls.ts'
import {
  type LineStyle,
  formatEvent,
  formatForward,
  formatRejection,
  toEventJson,
  toForwardJson,
  toRejectionJson,
} from './view.ts'

interface ReporterOptions {
  isJson: boolean
  quiet: boolean
  notice: (text: string | readonly string[]) => void
}

export async function createReporter(options: ReporterOptions): Promise<ListenReporter> {
  const output = createOutputQueue()
  return {...output, ...(options.isJson ? createJsonReporter(output) : await createTextReporter(output, options))}
}

type ReportMethods = Pick<ListenReporter, 'reportState' | 'reportEvent' | 'reportRejection' | 'reportForward'>

function createJsonReporter(output: OutputQueue): ReportMethods {
  const add = (value: object) => output.add(() => renderJsonLine(value))
  return {
    reportState: (state, about) => add({state, ...about}),
    reportEvent: (recorded, written) => output.add(() => renderJsonLine(toEventJson(recorded)), written),
    reportRejection: (rejection) => add(toRejectionJson(rejection)),
    reportForward: (outcome) => add(toForwardJson({...outcome, target: stripQuery(outcome.target)})),
  }
}

const sentences = {
  listening: ({url}: {url?: string}) => `Listening at ${url}. Ctrl-C stops it.`,
  lost: ({reason}: {reason?: string}) => `Lost: ${reason}. Senders are asked to try again.`,
  stopped: () => 'Stopped; every event that got a 2xx reply is stored.',
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
    reportEvent: (recorded, written) => output.add(() => formatEvent(recorded, getStyle()), written),
    reportRejection: (rejection) => writeRemark((style) => formatRejection(rejection, style)),
    reportForward: (outcome) => writeRemark((style) => formatForward(outcome, stripQuery(outcome.target), style)),
  }
}

// With more lines waiting than this, the listener asks senders to slow down instead of using ever more memory.
const linesWaitingMax = 10_000

type OutputQueue = ReturnType<typeof createOutputQueue>

// Writes lines to standard output in order, as fast as the reader takes them.
function createOutputQueue() {
  const failed = Promise.withResolvers<never>()
  // Without this, a failure that nobody awaits would end the process.
  failed.promise.catch(() => {})
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return {
    // Rejects when a line cannot be rendered or written.
    failure: failed.promise,
    isBehind: () => waiting >= linesWaitingMax,
    // Resolves when every line added so far was written.
    drain: () => last,
    // Calls `written` when the line was written.
    add(render: () => string, written?: () => void): void {
      waiting++
      const write = async () => {
        await writeOut(render())
        waiting--
        written?.()
      }
      last = last.then(write).catch(failed.reject)
    },
  }
}
