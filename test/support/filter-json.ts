// What jq prints: compiled to WebAssembly, for the examples in the documentation on machines without jq.
import * as jq from 'jq-wasm'

export async function filterJson(input: string, args: readonly string[]): Promise<string> {
  const filter = args.find((argument) => !argument.startsWith('-')) ?? '.'
  const flags = args.filter((argument) => argument !== filter)
  const {stdout, stderr, exitCode} = await jq.raw(input, filter, flags)
  if (exitCode !== 0) throw new Error(stderr)
  return stdout === '' ? '' : `${stdout.trimEnd()}\n`
}
