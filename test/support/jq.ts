// jq compiled to WebAssembly, for the examples in the documentation on machines without jq.
import {buffer} from 'node:stream/consumers'
import * as jq from 'jq-wasm'

const args = process.argv.slice(2)
const filter = args.find((argument) => !argument.startsWith('-')) ?? '.'
const input = (await buffer(process.stdin)).toString()
const output = await jq.raw(
  input,
  filter,
  args.filter((argument) => argument !== filter),
)
process.stdout.write(output === '' ? '' : `${output.trimEnd()}\n`)
