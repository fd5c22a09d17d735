// How a command runs another one without printing: it is given what the other returned and said.
import type {Command, Config} from '@oclif/core'
import type {Result} from './output/result.ts'

// What the command that runs collects instead of writing to standard error.
export interface Capture {
  notices: string[]
}

export type CapturedCommand = Command.Class & {run(argv: string[], config: Config): Promise<Result>}

interface CapturedRun {
  result: Result
  notices: readonly string[]
}

export type RunCaptured = (id: string, argv: string[]) => Promise<CapturedRun>

export const getCapture = (config: Config): Capture | undefined => (config as {capture?: Capture}).capture

export const getRunCaptured = (config: Config): RunCaptured =>
  (config as unknown as {runCaptured: RunCaptured}).runCaptured
