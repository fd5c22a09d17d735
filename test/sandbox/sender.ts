// A process of its own for the tests: sends the webhooks of a sandbox until it is killed.
import {openDatabase} from '../../src/sandbox/store/database.ts'
import {startDelivery} from '../../src/sandbox/service/webhooks/deliver.ts'

const [file = ''] = process.argv.slice(2)
const database = openDatabase(file, () => {
  throw new Error('The sandbox should be there already')
})
startDelivery({database, formsUrl: 'http://forms.test'}, () => {}, {tickMs: 20})
process.stdout.write('ready\n')
