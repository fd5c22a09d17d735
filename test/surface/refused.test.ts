// What a command refuses by itself: with code 2, in words that name it, and before anything is sent.
import {expect, it} from 'vitest'
import {payment} from '../support/payments.ts'
import {customerId, reply, serve} from '../support/service.ts'
import {freshHome, run, splitWords} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const route = payment('k', '1').slice(1, -4).join(' ')
const ada = 'customers create --type INDIVIDUAL --email ada@example.com'
const trigger = `events trigger customer.updated -p sandbox --customer ${seeded.customer}`

// By the beginning of the command line, which may be a variable: what follows, with quotes as in a shell, and a part of the words.
const refused: Record<string, Array<[rest: string, words: string]>> = {
  'accounts get': [[`'' --customer ${seeded.customer}`, 'The id of the payment account is empty']],
  'accounts list': [[`--customer ${seeded.customer} --type WALLET`, 'Known values are EXTERNAL_BANK_ACCOUNT,']],
  api: [
    ['FETCH /customers', 'FETCH'],
    ['GET customers', 'does not start with a single /'],
    ['GET //elsewhere.example/customers', 'does not start with a single /'],
    ['GET /customers --set a=b', 'no body'],
    ['POST /customers -f missing.json', 'ENOENT'],
    ['POST /customers --set novalue', 'path=value'],
    ['POST /customers --set a:={', 'valid JSON'],
    ["GET /customers -H 'Authorization: Bearer x'", 'The header Authorization is set by svc'],
    ['POST /customers -f -', 'standard input'],
  ],
  approve: [['-p sandbox --yes', 'or give --policy']],
  'customers create': [['--set firstName=', 'There are 3 problems']],
  [ada]: [
    ['-f none.yaml', 'none.yaml cannot be read (ENOENT)'],
    ['--reveal', '--dry-run'],
    ['--set kybData.conductsMoneyServices=true', 'kybData is for businesses: an individual submits kycData'],
    ['--set kycData.dateOfBirth=23.4.1990', 'must be an ISO 8601 date, YYYY-MM-DD'],
    ['--set kycData.isIntermediary=maybe', 'must be true or false'],
    ['--set kycData.documents[0].type=PASSPORT', 'must be one of GOVERNMENT_ID, PROOF_OF_ADDRESS'],
    ['--set kybData.associatedPersons[0].ownershipPercentage=half', 'must be a number from 0 to 100'],
    ['--set kybData.businessInfo.otherLinks=one', 'must be a list'],
    ['--set kycData.address=Boston', 'must be an object'],
  ],
  'customers list': [
    ['--status ACTIVE,GONE', 'Known values are CREATED, UNDER_REVIEW,'],
    ['--since lately', '7d'],
    ['--organization acme', '--organization'],
    ["--search ' '", '--search is empty'],
  ],
  [`customers update ${customerId(1)}`]: [
    ['', 'There is nothing to update'],
    ['--set kycData.address:={}', 'There is nothing to update'],
    ['--set kycData.phoneNumber=123', 'kycData.phoneNumber must be a phone number'],
    ['--set kycData.documents[0].frontIdImage=.', 'which is a folder'],
    ['--set email=ada@example.com', 'email is not a field of the interface'],
  ],
  'events listen': [
    ['--forward-to http://192.0.2.7/hook', '--allow-remote'],
    ['--forward-to http://example.com/ --allow-remote', 'over https:// only'],
    ['--forward-to http://a:b@localhost/', 'contains a credential'],
    ['--forward-to localhost:3000', 'is not a URL'],
    ['--secret-file nowhere', 'cannot be read (ENOENT)'],
    ['--replay', '--forward-to'],
    ['--store /dev/null/x', 'cannot be opened or created'],
  ],
  [trigger]: [
    ['', 'Nothing receives the events of the sandbox. Run `svc events listen -p sandbox`'],
    ['--set customerStatus=ACTIVE', 'The customer is in data: write --set data.customerStatus=…'],
    ['--set datum.x=1', 'Its fields are type, timestamp, data'],
    ['--forward-to http://127.0.0.1:9/', 'Missing --secret-file. Or set SVC_WEBHOOK_SECRET'],
    ['--forward-to http://example.com/', 'names another machine, example.com'],
  ],
  'journal export': [
    ['--month 2026-11 --since 1d', '--month'],
    ['--since 2026-11-02 --until 2026-11-02', 'is not after'],
    ['--out nowhere/books.csv', 'cannot be written (ENOENT)'],
  ],
  'SVC_JOURNAL=postgres://svc:s3cret@db.example.com/journal': [[`pay ${route} --yes --amount 1 --key k`, 'a password']],
  'SVC_JOURNAL=mysql://svc:s3cret@db.example.com/journal': [['journal list', 'begins with mysql://']],
  'SVC_JOURNAL=:memory:': [['journal list', 'must outlive the process']],
  'journal settle': [
    ['--abandon', 'Missing KEY, --why'],
    [`a --abandon --adopt ${seeded.awaiting} --why x --yes`, '--adopt'],
    ['a --abandon --why x', '--yes'],
  ],
  'pay --yes --key k --amount 1 --customer': [
    ["'Zoë Ångström'", 'Zoë Ångström'],
    ['zoe', 'zoe'],
  ],
  [`pay ${route} --yes --amount 1`]: [
    ['--key k --columns keys', 'Known columns are '],
    ["--key k --max-fee '1 USD'", '--max-fee'],
    ['--key k --max-fee 101%', '--max-fee'],
    ['--key k --min-rate -1', '--min-rate'],
    ["--key 'two words'", '--key'],
    ['--key quote:q', 'quote:'],
    ['--key rent-{year}', '{year}, which is not a placeholder'],
    ['--key rent-{date} --slot-zone Berlin', '"Berlin" is not a time zone'],
    ['--key rent-{date} --slot 2026-10', '--slot "2026-10" is not a {date}'],
    ['--key rent-{month} --slot 2026-13', '--slot "2026-13" is not a slot'],
    ['--key rent-{month} --slot {month}', '--slot "{month}" is not a slot'],
    ['--key rent --slot 2026-10', '--slot is given, but --key has no {date}'],
  ],
  'profiles set sandbox': [
    ['', 'Nothing to set'],
    ['--day-max USD=-1', '--day-max'],
    ['--day-max USD=1e3', '--day-max'],
    ['--allow e6086267-7e5a', '--allow "e6086267-7e5a" is only the beginning of an id'],
    ['--resend while-quoted', '--resend'],
    ['--list-lag-max 10s', '--list-lag-max 10s is less than 6 min'],
    ['--duplicate-window soon', '--duplicate-window "soon" is not a number of days, hours or minutes'],
  ],
  'payouts status': [['payroll.csv --limit 5', '--limit is about the list of batches']],
  [`quotes create ${route}`]: [
    ['--amount 5 --developer-fee-type USD', 'Missing --developer-fee.'],
    ['--amount 0.00', 'source.sourceAmount should be more than 0 (found "0.00")'],
    ['--amount 1e3', '--amount "1e3" is not a decimal number'],
    ['--amount -5', '--amount "-5" is negative'],
    ['--amount 5 --developer-fee free', '--developer-fee'],
    ['--amount 5 --set source.sourceAmount=1e3', 'source.sourceAmount must be a decimal number'],
    ['--amount 5 --set customerId=zoe@example.com', 'customerId must be a UUID'],
  ],
  report: [
    ['--out report.pdf', 'does not end in .html'],
    ['--month november', 'is not a month'],
  ],
  [`rules create --name Payroll ${route} --cron '0 9 * * *' --yes`]: [
    ['--amount 0.00', 'amount.value should be more than 0'],
    ['--amount 5 --set id=rule-1', 'id is not a field of the interface'],
    ["--amount 5 --set 'trigger.cronSchedule=0 9 * *'", 'cron expression of five fields'],
    [
      '--amount 5 --set trigger.type=THRESHOLD_BASED --set trigger.thresholdAmount=5',
      'trigger.cronSchedule belongs to a trigger of type TIME_BASED',
    ],
  ],
  'rules export': [['-o csv', 'no columns']],
  'rules list': [
    ["--from ''", '--from'],
    ['--limit 3', '--limit'],
  ],
  'sandbox faults': [
    ['add --kind delay', ''],
    ['add --kind hang --status 500', ''],
    ['add --kind lose --path customers', ''],
    ['add --kind lose --commit-after 30s', ''],
    ['set', ''],
    ['set --page-token-life -5', ''],
  ],
  'sandbox webhooks add': [
    ['https://example.com/hook', 'example.com is another machine'],
    ['http://example.com/hook --allow-remote', 'https:// only'],
    ["'not an address'", 'is not a URL for webhooks'],
  ],
  'transactions create --yes': [
    ["--quote ''", '--quote'],
    ["--quote q --correlation-id ''", 'correlationId'],
    ['--quote q --idempotency-key schlüssel', '--idempotency-key'],
    ["--quote q --idempotency-key ' k'", '--idempotency-key'],
  ],
  'transactions list': [
    ['--status DONE', 'There is no status "DONE". Known values are AWAITING_TRANSFER, PROCESSING,'],
    ['--status FAILED,', 'There is no status'],
    ["--account ''", '--account is empty'],
  ],
}

const rows = Object.entries(refused).flatMap(([command, rests]) =>
  rests.map(([rest, words]) => [`${command} ${rest}`, words] as const),
)

it.each(rows)('svc %s is refused', async (line, words) => {
  const service = await serve((_, response) => reply(response, 200, {}))
  const [, name = '', value, rest = line] = /^(SVC_\w+)=(\S+) (.*)$/.exec(line) ?? []
  const env = {...(!line.includes('-p sandbox') && service.env), ...(name && {[name]: value})}
  const {code, out, err} = await run(freshHome(), splitWords(rest), {env})
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toContain(words)
  expect(err).not.toContain('s3cret')
  expect(service.requests.filter(({method}) => method !== 'GET')).toEqual([])
})
