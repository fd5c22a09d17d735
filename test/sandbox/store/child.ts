// A process of its own for the tests: opens a sandbox under a given umask, creates customers, and prints their ids.
import {openSandbox} from '../../../src/sandbox/sandbox.ts'

const [file = '', count = '0', umask = '22'] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))

const sandbox = openSandbox({file})
const ids: string[] = []
for (let index = 0; index < Number(count); index++) {
  const response = await sandbox.fetch(
    new Request('http://sandbox.invalid/customers', {
      method: 'POST',
      headers: {authorization: `Bearer ${sandbox.apiKey}`},
      body: JSON.stringify({customerType: 'INDIVIDUAL', email: `${process.pid}.${index}@example.com`}),
    }),
  )
  const {customerId} = (await response.json()) as {customerId: string}
  if (response.status !== 200) throw new Error(`The sandbox answered ${response.status}`)
  ids.push(customerId)
}
// The side files of the database only exist while it is open, so their modes are read before it is closed.
const {statSync} = await import('node:fs')
const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(file + suffix).mode & 0o777).toString(8))
sandbox.close()
process.stdout.write(JSON.stringify({ids, modes}))
