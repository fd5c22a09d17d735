// The controls of snapshots.
import type {Result} from '../../sandbox-results.ts'
import {runDueTasks} from '../service/operation.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import {type SaveOptions, compareWithSnapshot, listSnapshots, restoreSnapshot, saveSnapshot} from './snapshots.ts'
import {type ImportOptions, exportSnapshot, importSnapshot, loadImage, readImage} from './snapshot-file.ts'

export interface SnapshotControls {
  save(name: string, options?: SaveOptions): Result<'Snapshot'>
  restore(name: string): Result<'Snapshot'>
  list(): Array<Result<'Snapshot'>>
  diff(name: string): Array<Result<'Difference'>>
  // A saved snapshot as the bytes of a file, piece by piece, for `import` here or elsewhere.
  export(name: string): AsyncIterable<Uint8Array>
  import(source: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<Result<'Snapshot'>>
  // Everything as bytes, to keep it in memory or to carry it elsewhere.
  read(): Uint8Array
  // Replaces everything with what was read.
  load(image: Uint8Array): void
}

// Due tasks run first, so that a snapshot holds the state that a request would have seen.
export const createSnapshotControls = (environment: SandboxEnvironment): SnapshotControls => ({
  save(name, options) {
    runDueTasks(environment)
    return saveSnapshot(environment.database, name, options)
  },
  restore: (name) => restoreSnapshot(environment.database, name),
  list: () => listSnapshots(environment.database),
  export: (name) => exportSnapshot(environment.database, name),
  import: (source, options) => importSnapshot(environment.database, source, options),
  read() {
    runDueTasks(environment)
    return readImage(environment.database)
  },
  load: (image) => loadImage(environment.database, image),
  diff(name) {
    runDueTasks(environment)
    return compareWithSnapshot(environment.database, name)
  },
})
