// A process of its own for the tests: requests the customers of a sandbox a number of times, and prints the statuses.
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'

const [file = '', count = '0'] = process.argv.slice(2)
const sandbox = openSandbox({file})
const statuses: number[] = []
while (statuses.length < Number(count)) {
  const headers = {authorization: `Bearer ${sandbox.apiKey}`}
  statuses.push((await sandbox.fetch(new Request('http://sandbox.invalid/customers', {headers}))).status)
}
sandbox.close()
process.stdout.write(JSON.stringify(statuses))
