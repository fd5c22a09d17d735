// The steps of the tour: what is said, and the commands that are run.
import fs from 'node:fs'
import path from 'node:path'

// The files of the tour: a passport, a payment and a payroll, written into the folder of the tour.
const kilobyte = 1024

// Customers and accounts that every sandbox has.
const mateo = 'mateo.q@example.com'
export const payer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const bankAccounts = {
  USD: {id: 'e6086267-7e5a-4a91-b136-a94b38bbbfb8', method: 'ACH'},
  EUR: {id: '861c3341-c5aa-48c7-a8e2-f2bb23581ca9', method: 'SEPA'},
  INR: {id: 'bbb1a057-24f2-4212-952a-5d3feb533db4', method: 'IN_NEFT_RTGS_IMPS'},
}

const passport = `documents:
  - type: GOVERNMENT_ID
    subtype: PASSPORT
    countryCode: AR
    documentIdNumber: AAC123456
    issuanceDate: 2023-05-06
    expirationDate: 2033-05-05
    frontIdImage: ./passport.pdf
`

const rent = `key: rent-2026-11
maxFee: 2%
customerId: ${payer}
source:
  sourcePaymentAccountId: ${wallet}
  sourceCurrency: USDC
  sourcePaymentMethod: SOLANA
  sourceAmount: "100.00"
destination:
  destinationPaymentAccountId: ${bankAccounts.USD.id}
  destinationCurrency: USD
  destinationPaymentMethod: ACH
`

const salaries = [
  ['nov-ana', 'USD', '150.00'],
  ['nov-max', 'EUR', '90.00'],
  ['nov-eva', 'INR', '30.00'],
] as const

const payroll = [
  'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount',
  ...salaries.map(([key, currency, amount]) => {
    const {id, method} = bankAccounts[currency]
    return [key, payer, wallet, 'USDC', 'SOLANA', id, currency, method, amount].join(',')
  }),
  '',
].join('\n')

// The smallest document that the interface accepts has 100 KB. The image itself is blank.
const passportScan = `%PDF-1.4\n%${'.'.repeat(110 * kilobyte)}\n%%EOF\n`

export function writeTourFiles(folder: string): void {
  const files = {'passport.yaml': passport, 'passport.pdf': passportScan, 'rent.yaml': rent, 'payroll.csv': payroll}
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
}

export interface TourCommand {
  // The arguments of svc, or a file to show.
  args?: readonly string[]
  file?: string
  // Said before the command.
  says?: string
  // Whether svc is killed as soon as the service has made the payment.
  isKilled?: true
}

export interface TourStep {
  title: string
  says: string
  commands: readonly TourCommand[]
}

const splitWords = (line: string) => line.split(' ')

const columns = (names: string) => ['--columns', names]

export const tourSteps: readonly TourStep[] = [
  {
    title: 'Look around',
    says: 'svc runs a payments service from the command line: customers and their verification, accounts, quotes, transactions, rules. The whole service is built in as a sandbox, with invented customers.',
    commands: [
      {args: ['customers', 'list', '--status', 'NEEDS_ADDITIONAL_INFORMATION', ...columns('name,status,updated')]},
    ],
  },
  {
    title: 'Use it in scripts',
    says: 'Standard output is data and nothing else. --json prints the service’s own JSON, --jq needs no other program, and every ending has its exit code.',
    commands: [
      {
        args: [
          ...splitWords('customers list --all --jq'),
          '[.customers[].customerStatus] | group_by(.)[] | "\\(length) \\(.[0])"',
        ],
      },
    ],
  },
  {
    title: 'Correct a refused verification',
    says: 'Verification refused Mateo Quiroga. svc says what is missing, checks the correction before it is sent, and the sandbox’s clock can be moved, so nobody waits for the review. At a terminal, `svc customers fix` asks for exactly these fields.',
    commands: [
      {args: ['customers', 'issues', mateo, ...columns('code,message')]},
      {file: 'passport.yaml'},
      {args: ['customers', 'update', mateo, '--kyc-file', 'passport.yaml', ...columns('name,status')]},
      {args: ['sandbox', 'clock', 'until-idle', '--quiet'], says: 'Later…'},
      {args: ['customers', 'get', mateo, ...columns('name,status')]},
    ],
  },
  {
    title: 'Pay once, whatever happens',
    says: 'A payment has a key, and is made at most once under it. Here the service is slow to answer, and svc is killed with kill -9 after the money moved and before the answer came. The same command again finds the payment instead of paying twice.',
    commands: [
      {file: 'rent.yaml'},
      {
        args: splitWords(
          'sandbox faults add --method POST --path /transactions --kind delay --delay 60s --times 1 --quiet',
        ),
      },
      {args: ['pay', '-f', 'rent.yaml'], isKilled: true, says: 'Killed while it waits for the answer:'},
      {
        args: ['journal', 'list', ...columns('key,state,amount')],
        says: 'Nobody knows now whether it was paid. The journal says so.',
      },
      {args: ['pay', '-f', 'rent.yaml', ...columns('status,from,to,fees')]},
      {
        args: [
          ...splitWords('transactions list --all --jq'),
          '[.transactions[] | select(.source.sourceAmount == "100.00")] | length',
        ],
        says: 'How many payments of 100.00 does the service have?',
      },
    ],
  },
  {
    title: 'Pay a whole file',
    says: 'A payroll is the same many times: every row has its key, all rows are checked before the first is paid, and running the file again pays nothing twice.',
    commands: [
      {args: ['payouts', 'run', 'payroll.csv', '--dry-run', '--with-quotes']},
      {args: ['payouts', 'run', 'payroll.csv']},
      {args: ['payouts', 'run', 'payroll.csv', '--result', 'again.csv'], says: 'Once more, by mistake:'},
    ],
  },
]

export const closingWords = [
  'That was svc, on a sandbox of its own that is now removed. What to try next:',
  '  svc customers list -p sandbox     a sandbox to keep',
  '  svc customers create -p sandbox   asks for everything that verification needs',
  '  svc sandbox start                 the service on a local port, for your code',
  '  svc help                          all commands',
]
