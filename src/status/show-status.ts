// Makes the status of a caller, also if the service does not answer.
import type {Client} from '../client/client.ts'
import type {ItemResult} from '../cli/output/result.ts'
import {startProgress} from '../cli/output/streams.ts'
import type {Caller} from '../profiles/caller.ts'
import {collectStatus} from './collect-status.ts'
import type {Status} from './status.ts'
import {renderStatus, statusView} from './view.ts'

// A page that is looked at often must not wait for a service that is slow.
const requestTimeoutMs = 3000
const timeoutMs = 5000

interface StatusSettings {
  version: string
  // The flags of the same names, if they are given.
  requestTimeoutMs: number | undefined
  timeoutMs: number | undefined
  connect: (options: {requestTimeoutMs: number; timeoutMs: number; retriesReads: false}) => Promise<Client>
}

const progressMs = 500

// The result has a failure if the service could not be asked.
export async function makeStatus(caller: Caller, settings: StatusSettings): Promise<ItemResult<Status>> {
  const progress = startProgress()
  const timer = setInterval(() => progress.report('Asking the service…'), progressMs)
  try {
    const client = await settings.connect({
      requestTimeoutMs: settings.requestTimeoutMs ?? requestTimeoutMs,
      timeoutMs: settings.timeoutMs ?? timeoutMs,
      retriesReads: false,
    })
    const {status, failure} = await collectStatus(settings.version, caller, client)
    return {kind: 'item', value: status, view: statusView, render: renderStatus, failure}
  } finally {
    clearInterval(timer)
    progress.end()
  }
}
