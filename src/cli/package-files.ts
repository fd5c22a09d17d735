// Where svc finds itself and the files that belong to it: in the folder of the package, or inside of the single executable.
import path from 'node:path'
import type {Config} from '@oclif/core'

// The files inside of the single executable, named as in the package, such as docs/sandbox.md.
export interface EmbeddedFiles {
  names: readonly string[]
  read: (name: string) => Buffer
}

export const getEmbeddedFiles = (config: Config): EmbeddedFiles | undefined =>
  (config as {embedded?: EmbeddedFiles}).embedded

// The program and its first arguments that start svc, for a command that runs svc in other processes.
export const getProgram = (config: Config): [string, ...string[]] =>
  getEmbeddedFiles(config) ? [process.execPath] : [process.execPath, path.join(config.root, 'bin/run.js')]
