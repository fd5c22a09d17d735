// Tells of what a listener hears: lines for people, events as data and the rest as notices; or all of it as lines of JSON.
import {type Painter, painterFor} from '../terminal/colour.ts'
import {toJsonLine} from '../terminal/formats.ts'
import {writeErrPainted, writeOut} from '../terminal/streams.ts'
import {
  eventLine,
  eventObject,
  fetchedLine,
  fetchedObject,
  forwardLine,
  forwardObject,
  refusalLine,
  refusalObject,
} from '../terminal/views/events.ts'
import type {Audience} from './listen.ts'
import {Outlet} from './outlet.ts'
import {shownTarget} from './targets.ts'

export interface Lines {
  audience: Audience
  // Resolves when everything said so far has reached its reader.
  settled(): Promise<void>
}

interface Setting {
  isJson: boolean
  quiet: boolean
  notice: (text: string) => void
  // Output that cannot be written ends the listener: what it would show is kept and shown at the next start.
  onFailure: (error: unknown) => void
}

export async function linesFor(setting: Setting): Promise<Lines> {
  const outlet = new Outlet(writeOut, setting.onFailure)
  const audience = setting.isJson ? toScripts(outlet) : await toPeople(outlet, setting)
  return {audience, settled: () => outlet.settled()}
}

function toScripts(outlet: Outlet): Audience {
  const say = (value: object, written?: () => void) => outlet.say(toJsonLine(value), written)
  return {
    state: (state, about) => say({state, ...about}),
    event: (recorded, written) => say(eventObject(recorded), written),
    refused: (refusal) => say(refusalObject(refusal)),
    forwarded: (outcome) => say(forwardObject({...outcome, target: shownTarget(outcome.target)})),
    fetched: (fetched) => say(fetchedObject(fetched)),
    isBehind: () => outlet.isBehind,
  }
}

const sentences = {
  listening: ({url}: {url?: string}) => `Listening at ${url}. Ctrl-C stops it.`,
  lost: ({reason}: {reason?: string}) => `Lost: ${reason}. Senders are told to try again.`,
  stopped: () => 'Stopped; everything that was answered is stored.',
}

async function toPeople(outlet: Outlet, {quiet, notice}: Setting): Promise<Audience> {
  const [painter, errPainter] = await Promise.all([painterFor(process.stdout), painterFor(process.stderr)])
  const remark = (line: (painter: Painter) => string) => {
    if (!quiet) writeErrPainted(line(errPainter))
  }
  return {
    state: (state, about) => notice(sentences[state](about)),
    event: (recorded, written) => outlet.say(eventLine(recorded, painter), written),
    refused: (refusal) => remark((paint) => refusalLine(refusal, paint)),
    forwarded: (outcome) => remark((paint) => forwardLine(outcome, shownTarget(outcome.target), paint)),
    fetched: (fetched) => outlet.say(fetchedLine(fetched, painter)),
    isBehind: () => outlet.isBehind,
  }
}
