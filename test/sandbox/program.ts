// A process of its own for the tests: sends requests to a sandbox under a given umask, as a command does, and prints the replies.
import {statSync} from 'node:fs'
import {openSandbox} from '../../src/sandbox/sandbox.ts'

interface Sent {
  method: string
  path: string
  body?: object
  headers?: Record<string, string>
}

const [file = '', umask = '22', requests = '[]'] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))
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
// The side files of the database only exist while it is open, so their modes are read before it is closed.
const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(file + suffix).mode & 0o777).toString(8))
sandbox.close()
process.stdout.write(JSON.stringify({replies, modes}))
