// How a dry run was asked for: with the flag of the command, or with a variable that the command may have no flag for.
import type {DryRun} from '../../profiles/write-policy.ts'
import {isVariableOn} from './environment.ts'

export function readDryRun(flags: object): DryRun | undefined {
  if ('dry-run' in flags && flags['dry-run'] === true) return 'flag'
  return isVariableOn(process.env['SVC_DRY_RUN']) ? 'variable' : undefined
}
