// Opens the context of a probe: the journal first, then the service and its clock.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Client} from '../client/client.ts'
import type {Connection} from '../client/connection.ts'
import {joinFormerIds} from '../payments/journal/former-ids.ts'
import {openJournal} from '../payments/journal/open-journal.ts'
import {createServerClock} from '../payments/protocol/server-clock.ts'
import {createService} from '../payments/protocol/service.ts'
import type {SpendingLimits} from '../controls/limits.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import type {ProbeContext, ProbeTime} from './context.ts'
import {observeError} from './error-samples.ts'
import type {ProbeFile, ProbeState} from './probe-state.ts'

// The Date header has whole seconds, and a reply takes its time.
const dateStepMs = 1_000

export interface ProbeSettings {
  // Connects to the service. Every reply must be passed to `onReply`.
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
  file: Pick<ProbeFile, 'save'>
  state: ProbeState
  spending?: SpendingLimits | undefined
  // The ids that the service had before.
  formerIds?: readonly string[] | undefined
  journal: JournalAddress
  isQuick: boolean
  timeoutMs?: number | undefined
  report?: ProbeContext['report'] | undefined
  checkpoint?: ProbeContext['checkpoint'] | undefined
  time?: ProbeTime | undefined
}

const machineTime: ProbeTime = {now: () => Date.now(), sleep: (ms) => sleep(ms)}

export interface OpenProbeContext extends ProbeContext {
  close(): Promise<void>
}

export async function openProbe(settings: ProbeSettings): Promise<OpenProbeContext> {
  const {connect, file, state, spending, isQuick, timeoutMs, time = machineTime} = settings
  const clock = createServerClock(time.now, settings.time ? time.now : undefined)
  const observeDate = (date: string | null) => {
    clock.observeDate(date)
    if (date === null) state.date ??= {isAbsent: true}
    else {
      const aheadMs = Math.round((clock.aheadMs() + dateStepMs / 2) / dateStepMs) * dateStepMs
      state.date = {isAbsent: false, aheadMs: Math.abs(aheadMs) <= dateStepMs ? 0 : aheadMs}
    }
  }
  const store = await openJournal(settings.journal, {now: time.now})
  const journal = joinFormerIds(store, state.serviceId, settings.formerIds ?? [])
  try {
    const client = await connect((reply) => {
      observeDate(reply.headers.get('date'))
      observeError(state, reply)
    })
    return {
      client,
      service: createService(client),
      clock,
      time,
      state,
      save: () => file.save(state),
      journal,
      spending: spending ?? {},
      isQuick,
      endsAt: timeoutMs === undefined ? Number.POSITIVE_INFINITY : time.now() + timeoutMs,
      tried: new Set(),
      obstacles: {},
      report: settings.report ?? (() => {}),
      checkpoint: settings.checkpoint ?? (() => {}),
      close: () => journal.close(),
    }
  } catch (error) {
    await journal.close()
    throw error
  }
}
