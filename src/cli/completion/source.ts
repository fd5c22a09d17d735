// What completion reads: the descriptions of the commands, and values that change, which are loaded only if they are needed.
import type {HelpSource} from '../help/help-source.ts'
import type {CompletionSource} from './complete.ts'
import type {PackageFiles} from './stored-values.ts'

// Settings that cannot be read have no values: a shell has nowhere to show an error.
export const createCompletionSource = (help: HelpSource, files: PackageFiles): CompletionSource => ({
  help,
  readValues: async (source, profile) => {
    try {
      return (await import('./stored-values.ts')).readStoredValues(source, profile, files)
    } catch {
      return []
    }
  },
  readAliases: async () => {
    try {
      return (await import('../aliases/stored-aliases.ts')).readAliases()
    } catch {
      return {}
    }
  },
})
