// Gives the commands of the sandbox the operations of control, on the embedded sandbox in this process.
import {badSettings} from './errors.ts'
import {type Caller, findCaller} from './profiles/caller.ts'
import {sandboxName} from './profiles/profiles.ts'
import type {CallOperation} from './sandbox/operations/operations.ts'
import {getSandboxFile} from './storage/folders.ts'
import {type SqliteProblem, diskFullHint, toSqliteFileError} from './storage/sqlite-error.ts'
import {openEmbeddedSandbox} from './transport.ts'

export type {CallOperation, OperationOutput} from './sandbox/operations/operations.ts'

// Where programs control the running server.
interface ControlAddress {
  controlUrl: string
  controlToken: string
  controlOpenapiUrl: string
}

export interface Control {
  call: CallOperation
  // Who reads customers, accounts and transactions of this sandbox, to find what is meant by a name.
  caller: Caller | undefined
  // The running server of the sandbox, if there is one.
  findServer(): Promise<ControlAddress | undefined>
}

const hints: Partial<Record<SqliteProblem, string>> = {busy: 'Try again when it has ended', diskFull: diskFullHint}

// Undefined for what is not about a file of the sandbox, such as one that another process does not
// release.
function toFileError(sandboxFile: string, error: unknown) {
  if (!(error instanceof Error && ('path' in error || 'errcode' in error))) return undefined
  const file = toSqliteFileError('path' in error ? String(error.path) : sandboxFile, error)
  if (file === undefined || file.problem === 'other') return undefined
  return badSettings(file.message, hints[file.problem] ?? 'Check what it is, and who owns it', error)
}

export async function openControl(): Promise<Control> {
  const [sandbox, {createCall}, {controlDocumentPath, controlPrefix}] = await Promise.all([
    openEmbeddedSandbox(),
    import('./sandbox/operations/operations.ts'),
    import('./sandbox/operations/constants.ts'),
  ])
  await sandbox.useFormsOfServer()
  const call = createCall(sandbox)
  return {
    call: (name, input) =>
      call(name, input).catch((error: unknown) => {
        throw toFileError(getSandboxFile(), error) ?? error
      }),
    caller: findCaller(sandboxName),
    findServer: async () => {
      const server = await sandbox.findServer()
      if (!server) return undefined
      const {url, controlToken} = server
      return {controlUrl: url + controlPrefix, controlToken, controlOpenapiUrl: url + controlDocumentPath}
    },
  }
}
