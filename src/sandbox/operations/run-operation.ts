// Runs an operation for callers whose input nothing has checked yet: forms of the console, and programs that import the sandbox.
import {findProblems, toSentence} from '../../contract/problems.ts'
import {capitalize} from '../../values/text.ts'
import {ControlError} from './control-error.ts'
import type {Controls} from './controls.ts'
import {type OperationName, type OperationReturn, getOperation} from './operations.ts'
import {createInputSchema} from './schema-kit.ts'

export function runOperation<N extends OperationName>(controls: Controls, name: N, input: object): OperationReturn<N> {
  const operation = getOperation(name)
  const problems = findProblems(createInputSchema(operation.input), input)
  if (problems.length > 0) throw new ControlError(problems.map(toSentence).map(capitalize).join('. '))
  return operation.run(controls, input) as OperationReturn<N>
}
