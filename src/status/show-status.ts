// Makes the status of the caller, also if there is none or the service does not answer.
import type {Client} from '../client/client.ts'
import type {ItemResult} from '../cli/output/result.ts'
import {startProgress} from '../cli/output/streams.ts'
import type {SvcError} from '../errors.ts'
import {type Caller, findCaller, noCaller} from '../profiles/caller.ts'
import {collectStatus, describeNoCaller} from './collect-status.ts'
import type {Status} from './status.ts'
import {renderStatus, statusView} from './view.ts'

// A page that is looked at often must not wait for a service that is slow.
const requestTimeoutMs = 3000
const timeoutMs = 5000

interface StatusSettings {
  version: string
  profileName: string | undefined
  // The flags of the same names, if they are given.
  requestTimeoutMs: number | undefined
  timeoutMs: number | undefined
  connect: (
    caller: Caller,
    options: {requestTimeoutMs: number; timeoutMs: number; retriesReads: false},
  ) => Promise<Client>
}

const toResult = (value: Status, failure?: SvcError): ItemResult<Status> => ({
  kind: 'item',
  value,
  view: statusView,
  render: renderStatus,
  failure,
})

const progressMs = 500

async function collect(caller: Caller, settings: StatusSettings): Promise<ItemResult<Status>> {
  const progress = startProgress()
  const timer = setInterval(() => progress.report('Asking the service…'), progressMs)
  try {
    const client = await settings.connect(caller, {
      requestTimeoutMs: settings.requestTimeoutMs ?? requestTimeoutMs,
      timeoutMs: settings.timeoutMs ?? timeoutMs,
      retriesReads: false,
    })
    const {status, failure} = await collectStatus(settings.version, caller, client)
    return toResult(status, failure)
  } finally {
    clearInterval(timer)
    progress.end()
  }
}

// The result has a failure if the service could not be asked, or if there is nobody to ask for.
export async function makeStatus(settings: StatusSettings): Promise<ItemResult<Status>> {
  const caller = findCaller(settings.profileName)
  return caller ? collect(caller, settings) : toResult(describeNoCaller(settings.version), noCaller())
}
