// Gives the commands of the sandbox the operations of control, on the embedded sandbox in this process.
import {type Caller, findCaller} from './profiles/caller.ts'
import {sandboxName} from './profiles/profiles.ts'
import type {CallOperation} from './sandbox/operations/operations.ts'
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

export async function openControl(): Promise<Control> {
  const [sandbox, {createCall}, {controlDocumentPath, controlPrefix}] = await Promise.all([
    openEmbeddedSandbox(),
    import('./sandbox/operations/operations.ts'),
    import('./sandbox/operations/constants.ts'),
  ])
  await sandbox.useFormsOfServer()
  return {
    call: createCall(sandbox),
    caller: findCaller(sandboxName),
    findServer: async () => {
      const server = await sandbox.findServer()
      if (!server) return undefined
      const {url, controlToken} = server
      return {controlUrl: url + controlPrefix, controlToken, controlOpenapiUrl: url + controlDocumentPath}
    },
  }
}
