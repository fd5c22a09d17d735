// A process of its own for the tests: changes a customer and exits, as a command does.
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'

const [file = ''] = process.argv.slice(2)
const sandbox = openSandbox({file})

async function call(method: string, path: string, body: object) {
  const response = await sandbox.fetch(
    new Request(`http://sandbox.invalid${path}`, {
      method,
      headers: {authorization: `Bearer ${sandbox.apiKey}`},
      body: JSON.stringify(body),
    }),
  )
  if (response.status !== 200) throw new Error(`The sandbox answered ${response.status}`)
  return (await response.json()) as {customerId: string}
}

const {customerId} = await call('POST', '/customers', {customerType: 'INDIVIDUAL', email: `${process.pid}@example.com`})
await call('PATCH', `/customers/${customerId}`, {kycData: {legalFirstName: 'Ines'}})
sandbox.close()
process.stdout.write(customerId)
