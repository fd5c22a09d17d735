// The folder of what svc caches in the tests, such as its compiled code. Two checkouts whose tests run at once do not share it,
// because each writes the completion of its own commands there.
import crypto from 'node:crypto'
import path from 'node:path'

const nameLength = 8
const checkout = path.resolve(import.meta.dirname, '../..')
const checkoutName = crypto.hash('sha256', checkout).slice(0, nameLength)

export const getCacheFolder = (temporary: string) => path.join(temporary, `svc-test-cache-${checkoutName}`)
