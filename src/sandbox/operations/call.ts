// Calls the operations of control on a sandbox in this process.
import type {Sandbox} from '../sandbox.ts'
import {type CallOperation, type OperationName, getOperation} from './operations.ts'

export const createCall = (sandbox: Sandbox): CallOperation =>
  (async (name: OperationName, input: unknown) => getOperation(name).run(sandbox, input)) as CallOperation
