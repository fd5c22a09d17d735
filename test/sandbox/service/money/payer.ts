// Runs as a separate process: creates one transaction with a key, and prints the response.
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'

const [file = '', quoteId = '', key = ''] = process.argv.slice(2)
const sandbox = openSandbox({file})
const response = await sandbox.fetch(
  new Request('http://sandbox.invalid/transactions', {
    method: 'POST',
    headers: {authorization: `Bearer ${sandbox.apiKey}`, 'x-idempotency-key': key},
    body: JSON.stringify({quoteId}),
  }),
)
process.stdout.write(JSON.stringify({status: response.status, text: await response.text()}))
sandbox.close()
