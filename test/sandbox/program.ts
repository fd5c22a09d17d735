// A process of its own for the tests: sends requests to a sandbox, as a command does, and prints the replies.
import {openSandbox} from '../../src/sandbox/sandbox.ts'

interface Sent {
  method: string
  path: string
  body?: object
  headers?: Record<string, string>
}

const [file = '', requests = '[]'] = process.argv.slice(2)
const sandbox = openSandbox({file})
const replies: {status: number; text: string}[] = []
for (const {method, path, body, headers} of JSON.parse(requests) as Sent[]) {
  const response = await sandbox.fetch(
    new Request(`http://sandbox.invalid${path}`, {
      method,
      headers: {authorization: `Bearer ${sandbox.apiKey}`, ...headers},
      ...(body && {body: JSON.stringify(body)}),
    }),
  )
  replies.push({status: response.status, text: await response.text()})
}
sandbox.close()
process.stdout.write(JSON.stringify(replies))
