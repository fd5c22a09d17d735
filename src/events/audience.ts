// Tells of what a listener hears: lines for people, events as data and the rest as notices; or all of it as lines of JSON.
import {type Painter, createPainter} from '../cli/output/colour.ts'
import {toJsonLine} from '../cli/output/formats.ts'
import {writeErrUncleaned, writeOut} from '../cli/output/streams.ts'
import {
  eventLine,
  eventObject,
  fetchedLine,
  fetchedObject,
  forwardLine,
  forwardObject,
  refusalLine,
  refusalObject,
} from './view.ts'
import type {Audience} from './listen.ts'
import {Outlet} from './outlet.ts'
import {shownTarget} from './targets.ts'

interface Setting {
  isJson: boolean
  quiet: boolean
  notice: (text: string) => void
}

export async function audienceFor(setting: Setting): Promise<Audience> {
  const outlet = new Outlet(writeOut)
  const told = setting.isJson ? toScripts(outlet) : await toPeople(outlet, setting)
  return {...told, isBehind: () => outlet.isBehind, settled: () => outlet.settled(), failure: outlet.failure}
}

type Telling = Pick<Audience, 'state' | 'event' | 'refused' | 'forwarded' | 'fetched'>

function toScripts(outlet: Outlet): Telling {
  const say = (value: object, written?: () => void) => outlet.say(toJsonLine(value), written)
  return {
    state: (state, about) => say({state, ...about}),
    event: (recorded, written) => say(eventObject(recorded), written),
    refused: (refusal) => say(refusalObject(refusal)),
    forwarded: (outcome) => say(forwardObject({...outcome, target: shownTarget(outcome.target)})),
    fetched: (fetched) => say(fetchedObject(fetched)),
  }
}

const sentences = {
  listening: ({url}: {url?: string}) => `Listening at ${url}. Ctrl-C stops it.`,
  lost: ({reason}: {reason?: string}) => `Lost: ${reason}. Senders are told to try again.`,
  // Beside the ^C that a terminal shows, a line of its own.
  stopped: () => `${process.stderr.isTTY ? '\n' : ''}Stopped; everything that was answered is stored.`,
}

async function toPeople(outlet: Outlet, {quiet, notice}: Setting): Promise<Telling> {
  const [painter, errPainter] = await Promise.all([createPainter(process.stdout), createPainter(process.stderr)])
  const remark = (line: (painter: Painter) => string) => {
    if (!quiet) writeErrUncleaned(line(errPainter))
  }
  return {
    state: (state, about) => notice(sentences[state](about)),
    event: (recorded, written) => outlet.say(eventLine(recorded, painter), written),
    refused: (refusal) => remark((paint) => refusalLine(refusal, paint)),
    forwarded: (outcome) => remark((paint) => forwardLine(outcome, shownTarget(outcome.target), paint)),
    fetched: (fetched) => outlet.say(fetchedLine(fetched, painter)),
  }
}
