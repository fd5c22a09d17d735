// Calls the operations of control on a sandbox in this process.
import type {Sandbox} from '../sandbox.ts'
import type {ControlHost} from './define.ts'
import {type CallOperation, type OperationName, getOperation} from './operations.ts'

// The input has been checked against the schema of the operation.
export const callNamed = async (
  sandbox: Sandbox,
  name: OperationName,
  input: unknown,
  host: Pick<ControlHost, 'spaces' | 'spaceName'> = {},
): Promise<unknown> =>
  getOperation(name).run(sandbox, input, {
    ...host,
    issueToken: (lifetimeMs) => sandbox.issueToken(lifetimeMs),
  })

export const createCall = (sandbox: Sandbox, host?: Pick<ControlHost, 'spaces' | 'spaceName'>): CallOperation =>
  ((name: OperationName, input: unknown) => callNamed(sandbox, name, input, host)) as CallOperation
