// The controls of snapshots.
import {runDueTasks} from '../service/operation.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import {type SaveOptions, compareWithSnapshot, listSnapshots, restoreSnapshot, saveSnapshot} from './snapshots.ts'
import {type ImportOptions, exportSnapshot, importSnapshot, loadImage, readImage} from './snapshot-file.ts'

// Due tasks run first, so that a snapshot holds the state that a request would have seen.
export const createSnapshotControls = (environment: SandboxEnvironment) => ({
  save(name: string, options?: SaveOptions) {
    runDueTasks(environment)
    return saveSnapshot(environment.database, name, options)
  },
  restore: (name: string) => restoreSnapshot(environment.database, name),
  list: () => listSnapshots(environment.database),
  // A saved snapshot as the bytes of a file, piece by piece, for `import` here or elsewhere.
  export: (name: string) => exportSnapshot(environment.database, name),
  import: (source: AsyncIterable<Uint8Array>, options?: ImportOptions) =>
    importSnapshot(environment.database, source, options),
  // Everything as bytes, to keep it in memory or to carry it elsewhere.
  read() {
    runDueTasks(environment)
    return readImage(environment.database)
  },
  // Replaces everything with what was read.
  load: (image: Uint8Array) => loadImage(environment.database, image),
  diff(name: string) {
    runDueTasks(environment)
    return compareWithSnapshot(environment.database, name)
  },
})
