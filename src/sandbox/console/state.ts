// Reads everything that the controls show in one operation.
import {readBehaviours} from '../service/faults/behaviours.ts'
import {listFaults} from '../service/faults/faults.ts'
import {listSnapshots} from '../store/snapshots.ts'
import {readClockStatus} from '../time/clock.ts'
import {readQueueStatus, listWaitingTasks} from '../time/queue.ts'
import type {RequestContext} from '../service/request-context.ts'
import {listDeliveries} from '../service/webhooks/event-store.ts'
import {toEndpoint, listEndpointRows} from '../service/webhooks/endpoint-store.ts'

// What the forms are filled in with.
export interface Selection {
  customer?: string | undefined
  account?: string | undefined
  transaction?: string | undefined
}

// The console shows the newest rows; svc lists everything.
export const rowsMax = 25

export function readConsoleState({database}: RequestContext) {
  return {
    clock: readClockStatus(database),
    queue: {waiting: readQueueStatus(database).waiting, tasks: listWaitingTasks(database, rowsMax)},
    endpoints: listEndpointRows(database).map((row) => toEndpoint(row, false)),
    deliveries: listDeliveries(database, {limit: rowsMax}).deliveries,
    faults: listFaults(database),
    behaviours: readBehaviours(database),
    snapshots: listSnapshots(database),
  }
}

export type ConsoleState = ReturnType<typeof readConsoleState>
