// Calls the operations of control on a sandbox in this process.
import type {Sandbox} from '../sandbox.ts'
import {type CallOperation, type OperationName, getOperation} from './operations.ts'

// The input has been checked against the schema of the operation.
export async function callNamed(sandbox: Sandbox, name: OperationName, input: unknown): Promise<unknown> {
  await sandbox.loadLateHandlers()
  return getOperation(name).run(sandbox, input)
}

export const createCall = (sandbox: Sandbox): CallOperation =>
  ((name: OperationName, input: unknown) => callNamed(sandbox, name, input)) as CallOperation
