// What whoever runs the sandbox can do with snapshots.
import {runDueTasks} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type TableDifference, differenceSince} from './difference.ts'
import {type Snapshot, listSnapshots, restoreSnapshot, saveSnapshot} from './snapshots.ts'

export interface SnapshotControls {
  save(name: string): Snapshot
  restore(name: string): Snapshot
  list(): Snapshot[]
  diff(name: string): TableDifference[]
}

// What is due happens first, so that a copy holds the state that a request would have seen.
export const snapshotControls = (house: SandboxEnvironment): SnapshotControls => ({
  save(name) {
    runDueTasks(house)
    return saveSnapshot(house.database, name)
  },
  restore: (name) => restoreSnapshot(house.database, name),
  list: () => listSnapshots(house.database),
  diff(name) {
    runDueTasks(house)
    return differenceSince(house.database, name)
  },
})
