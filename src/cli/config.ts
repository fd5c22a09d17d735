// What svc adds to oclif's configuration: how a command runs another one without printing, and where svc finds the files that
// belong to it, in the folder of the package or inside of the single executable.
import path from 'node:path'
import type {Config} from '@oclif/core'
import type {HelpSource} from './help/help-source.ts'
import type {Box} from './output/box.ts'
import type {Result} from './output/result.ts'

// What the command that runs collects instead of writing to standard error, and who says yes to what it pays.
export interface Capture {
  notices: string[]
  review?: PaymentReview | undefined
}

// A payment that was priced, as a person is shown it.
export interface PricedPayment {
  box: Box
  // How long the quote is still valid.
  lifeMs: number
}

// Stands for the person who says yes where svc pays for a program.
export interface PaymentReview {
  // Asks the person. Absent if the program only prepares the payment.
  confirm?: (priced: PricedPayment) => Promise<boolean>
  // Aborted when the program no longer waits: nothing more is sent.
  signal?: AbortSignal | undefined
}

interface CapturedRun {
  result: Result
  notices: readonly string[]
}

export type RunCaptured = (id: string, argv: string[], review?: PaymentReview) => Promise<CapturedRun>

// The files inside of the single executable, named as in the package, such as docs/sandbox.md.
export interface EmbeddedFiles {
  names: readonly string[]
  read: (name: string) => Buffer
}

interface SvcConfig extends Config {
  capture?: Capture
  embedded?: EmbeddedFiles
  // The folder of the build, if its files are loaded from there.
  programFolder?: string
  runCaptured: RunCaptured
  readHelp: () => Promise<HelpSource>
}

// main.ts makes every configuration.
export const toSvcConfig = (config: Config) => config as SvcConfig

// The program and its first arguments that start svc, for a command that runs svc in other processes.
export const getProgram = (config: Config): [string, ...string[]] =>
  toSvcConfig(config).embedded ? [process.execPath] : [process.execPath, path.join(config.root, 'bin/run.js')]
