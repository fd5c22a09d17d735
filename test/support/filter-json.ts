// What jq prints: compiled to WebAssembly, for the examples in the documentation on machines without jq.
import * as jq from 'jq-wasm'

export async function filterJson(input: string, args: readonly string[]): Promise<string> {
  const filter = args.find((argument) => !argument.startsWith('-')) ?? '.'
  const flags = args.filter((argument) => argument !== filter)
  const output = await jq.raw(input, filter, flags)
  return output === '' ? '' : `${output.trimEnd()}\n`
}
