// How a command runs another one without printing: it is given what the other returned and said.
import type {Config} from '@oclif/core'
import type {Result} from './output/result.ts'

// What the command that runs collects instead of writing to standard error.
export interface Capture {
  notices: string[]
}

interface CapturedRun {
  result: Result
  notices: readonly string[]
}

export type RunCaptured = (id: string, argv: string[]) => Promise<CapturedRun>

export const getCapture = (config: Config): Capture | undefined => (config as {capture?: Capture}).capture

export const getRunCaptured = (config: Config): RunCaptured =>
  (config as unknown as {runCaptured: RunCaptured}).runCaptured
