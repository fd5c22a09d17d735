// The folder of the bundled programs of one run of the tests, which is known by the id of its first process.
import path from 'node:path'

export const getProgramsFolder = (temporary: string, processId: number) =>
  path.join(temporary, `svc-programs-${processId}`)
