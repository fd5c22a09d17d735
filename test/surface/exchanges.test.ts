// What a command sends to a service and makes of its answers: each row is a command line, what the service has, what is sent, and how it
// ends. With -p sandbox it is the seeded sandbox.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {answered, configuration} from '../features/rules/rule-service.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run, splitWords} from '../support/svc.ts'
import {seeded, transaction, transactionId} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

interface Exchange {
  // What the service has, by path. A write is answered with it and what was written.
  has?: Record<string, unknown>
  // The answer to every write instead.
  answers?: [status: number, body?: object]
  files?: Record<string, string | Buffer>
  input?: string | Buffer
  // Method, path with its query, and idempotency key; with the body if there is one.
  sends?: Array<string | [request: string, body: object]>
  code?: number
  // An object if it is JSON.
  out?: string | RegExp | object
  err?: string | RegExp
}

const id = customerId(1)
const customerPath = `/customers/${id}`
const hasCustomer = (more: Record<string, unknown>) => ({[customerPath]: customer(1, more)})
const read = `GET ${customerPath}`

const phone = '--set kycData.phoneNumber=+15551234567'
const open = {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}
const grown = customer(1, {customerStatus: 'ON_HOLD', riskTier: {level: 'gold'}})
const issues = [
  {code: 'DOC_QUALITY_POOR', message: 'The picture is blurred.', timestamp: '2026-11-01T12:34:56Z', severity: 3},
  {code: 'MOON_PHASE', message: 'Wait for the full moon.', timestamp: '2026-11-02T12:34:56Z'},
]

const createAda = 'customers create --type INDIVIDUAL --email ada@example.com --allow-duplicates'
const stays: Exchange = {
  has: hasCustomer({customerStatus: 'CREATED'}),
  answers: [200, customer(1, {customerStatus: 'CREATED'})],
  code: 8,
  out: /STATUS +CREATED/,
}

const customers: Record<string, Exchange> = {
  [`${createAda} --wait`]: {
    answers: [200, customer(1, {customerId: 'cus_1', customerStatus: 'UNDER_REVIEW'})],
    code: 7,
    err: /^(?![^]*nothing was sent)[^]*accepted POST \/customers, but svc cannot continue: customerId must be a UUID/i,
  },
  [`customers update ${id} ${phone} --json`]: {
    has: hasCustomer({...open, riskTier: 'gold'}),
    answers: [200, customer(1, {customerStatus: 'UNDER_REVIEW', riskTier: 'gold'})],
    sends: [read, [`PATCH ${customerPath}`, {kycData: {phoneNumber: '+15551234567'}}]],
    out: customer(1, {customerStatus: 'UNDER_REVIEW', riskTier: 'gold'}),
  },
  // Refused as the service would, with what to do instead.
  ...Object.fromEntries(
    Object.entries({
      UNDER_REVIEW: `svc customers watch ${id}`,
      ACTIVE: 'nothing to correct',
      REJECTED: 'support',
      DEACTIVATED: 'support',
    }).map(([customerStatus, hint]): [string, Exchange] => [
      `customers update ${id} ${phone} --json # ${customerStatus}`,
      {
        has: hasCustomer({customerStatus}),
        sends: [read],
        code: 3,
        err: new RegExp(`"PATCH_NOT_ALLOWED".*The customer is ${customerStatus}, .*"statusCode":400.*${hint}`),
      },
    ]),
  ),
  [`customers update ${id} ${phone} # a business`]: {
    has: hasCustomer({...open, customerType: 'BUSINESS'}),
    sends: [read],
    code: 2,
    err: 'kycData is for individuals: a business submits kybData',
  },
  [`customers update ${id} --set kybData.conductsMoneyServices=true`]: {
    has: hasCustomer(open),
    sends: [read],
    code: 2,
    err: 'kybData is for businesses: an individual submits kycData',
  },
  'customers list --json': {has: {'/customers': {customers: [grown], total: 1}}, out: {total: 1, customers: [grown]}},
  [`customers get ${id}`]: {has: {[customerPath]: grown}, out: /riskTier +\{"level":"gold"\}\n$/},
  [`customers issues ${id}`]: {
    has: hasCustomer({...open, verificationIssues: issues}),
    out: /too poor to check +2026-11-01 12:34 +documents\.frontIdImage, documents\.backIdImage\nMOON_PHASE +Wait for/,
  },
  [`customers issues ${id} --json`]: {
    has: hasCustomer({...open, verificationIssues: issues}),
    out: {verificationIssues: issues},
  },
  // Nobody looks whether it was made, and what is said of it has nothing personal.
  [`${createAda} --json`]: {
    answers: [500],
    sends: [['POST /customers', {customerType: 'INDIVIDUAL', email: 'ada@example.com'}]],
    code: 7,
    err: /^(?!.*ada@).*"OUTCOME_UNKNOWN".*Look for the email in `svc customers list --all` before/,
  },
  // Whether data was sent decides what a customer that stays CREATED is waited for.
  [`${createAda} --wait --timeout 1500ms`]: {...stays, err: 'Nothing happens until a person acts'},
  [`${createAda} --set kycData.phoneNumber=+15551234567 --accept-warnings --wait --timeout 1500ms`]: {
    ...stays,
    err: /^(?![^]*until a person acts)[^]*its verification data was sent, and its review has not started/,
  },
  [`customers update ${id} ${phone}`]: {
    has: hasCustomer(open),
    answers: [500],
    code: 7,
    err: `See \`svc customers get ${id}\`: the customer is UNDER_REVIEW if it arrived.`,
  },
  [`customers issues ${id} -o csv --columns customer,code`]: {
    has: hasCustomer({...open, verificationIssues: issues}),
    out: `customerId,code\n${issues.map(({code}) => `${id},${code}\n`).join('')}`,
  },
  // By the form of HTML, whatever svc thinks of it.
  ...Object.fromEntries(
    ['a&b@example.com', 'o/p@example.com', 'jörg@example.com', 'x@münchen.example', 'a@localhost'].flatMap(
      (email): Array<[string, Exchange]> => [
        [
          `customers create --type INDIVIDUAL --email '${email}' --json`,
          {
            sends: [],
            code: 2,
            err: /"WARNINGS".*is an unusual email address/,
          },
        ],
        [
          `customers create --type INDIVIDUAL --email '${email}' --accept-warnings --allow-duplicates --json`,
          {answers: [200, customer(1)], sends: [['POST /customers', {customerType: 'INDIVIDUAL', email}]]},
        ],
      ],
    ),
  ),
  ...Object.fromEntries(
    // Blanks that are copied along, and characters that nobody sees, in either part of an address.
    [
      'a b@example.com',
      'a@b@example.com',
      'ada',
      '@example.com',
      'ada@',
      ...['\u00A0', '\u3000', '\u200B', '\u00AD', '\u202E', '\u2028', '\u0085', '\uFEFF'].flatMap((sign) => [
        `ada${sign}@example.com`,
        `ada@example.com${sign}`,
      ]),
    ].map((email): [string, Exchange] => [
      `customers create --type INDIVIDUAL --email '${email}' --accept-warnings --json # ${encodeURIComponent(email)}`,
      {sends: [], code: 2, err: 'must be an email address'},
    ]),
  ),
  'customers list --columns id,link -p sandbox --quiet': {out: /forms\.sandbox\.invalid/},
  ...Object.fromEntries(
    ['customers list', `customers get ${seeded.customer}`].flatMap((line) =>
      ['table', 'csv'].map((format): [string, Exchange] => [
        `${line} --columns id,link -p sandbox -o ${format}`,
        {out: /forms\.sandbox\.invalid/, err: '`svc sandbox start -p sandbox` serves it'},
      ]),
    ),
  ),
  ...Object.fromEntries(
    [null, [], 'none'].map((none): [string, Exchange] => [
      `customers issues ${id} # ${JSON.stringify(none)}`,
      {has: hasCustomer({verificationIssues: none}), out: '', err: 'No verification issues; the customer is ACTIVE.\n'},
    ]),
  ),
}

const odd = {paymentAccountId: 'x', externalBankAccount: null, svcCryptoWallet: 3, paymentAccountStatus: 'FROZEN'}
const body = {
  customerId: id,
  source: {
    sourcePaymentAccountId: 'wallet-1',
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '100.00',
  },
  destination: {destinationPaymentAccountId: 'bank-1', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
}
const developerFee = {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1'}
const unknownAfter = (status: number): [string, Exchange] => [
  `api POST /transactions --set quoteId=q1 -H 'x-idempotency-key: k1' --yes # ${status}`,
  {
    answers: [status, {error: 'NOT_NOW', message: 'Later'}],
    sends: [['POST /transactions k1', {quoteId: 'q1'}]],
    code: 7,
    err: 'may or may not have happened',
  },
]

const ach = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const quoteInSandbox = `quotes create --customer ${seeded.customer} --from ${seeded.wallet} --to ${ach} --amount 5 -p sandbox`

const money: Record<string, Exchange> = {
  "api get /customers?pageSize=5 --query 'pageToken=a&b'": {
    has: {'/customers': {customers: []}},
    sends: ['GET /customers?pageSize=5&pageToken=a%26b'],
    out: {customers: []},
  },
  ...Object.fromEntries([302, 408, 409, 425, 429, 499, 500].map(unknownAfter)),
  'api POST /transactions --set quoteId=q1 --yes': {answers: [200, {}], code: 7, err: 'without transactionId'},
  [`transactions list --customer ${id} --account 'acc/ü 1' --organization ${customerId(9)} --since 7d`]: {
    sends: [
      `GET /transactions?pageSize=100&customerId=${id}&paymentAccountId=acc%2F%C3%BC+1&organizationId=${customerId(9)}`,
    ],
    out: '',
    err: 'No transactions match.\n',
  },
  // Nobody is told to send money in a status that svc does not know.
  [`transactions get ${transactionId(1)}`]: {
    has: {
      '/transactions': {
        transactions: [
          transaction(1, 'REFUNDED', {
            transferInstructions: {type: 'fiat', transferPaymentMethod: 'ACH', transferBankName: 'First'},
          }),
        ],
      },
    },
    out: /svc does not know the status REFUNDED: ask the service first whether to send 120\.50 USD by ACH\n +Bank: First\n/,
  },
  [`accounts list --customer ${id} --status frozen`]: {
    has: {'/payment-accounts': {paymentAccounts: [odd, {}]}},
    out: /^ID .*\nx +FROZEN\n$/,
  },
  // What the file has, with flags and --set on top.
  'quotes create -f route.yaml --amount 100.00 --set destination.destinationPaymentMethod=ACH --developer-fee 1 --guarantee --dry-run':
    {
      files: {
        'route.yaml': `customerId: ${id}
source: {sourcePaymentAccountId: wallet-1, sourceCurrency: USDC, sourcePaymentMethod: SOLANA, sourceAmount: 7}
destination: {destinationPaymentAccountId: bank-1, destinationCurrency: USD}`,
      },
      sends: [],
      out: {method: 'POST', path: '/quotes', body: {...body, developerFee, guaranteeQuote: true}},
    },
  'quotes create -f - --dry-run': {
    input: JSON.stringify(body),
    sends: [],
    out: {method: 'POST', path: '/quotes', body},
  },
  // What the accounts decide need not be said, and what they leave open is asked for.
  [`${quoteInSandbox} --from-currency USDC --dry-run`]: {
    out: {
      method: 'POST',
      path: '/quotes',
      body: {
        customerId: seeded.customer,
        source: {
          sourcePaymentAccountId: seeded.wallet,
          sourceCurrency: 'USDC',
          sourcePaymentMethod: 'SOLANA',
          sourceAmount: '5',
        },
        destination: {destinationPaymentAccountId: ach, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
      },
    },
  },
  [quoteInSandbox]: {
    code: 2,
    err: /^svc: --from-currency is needed: Service wallet .* takes USDC, USDT or another currency\./,
  },
}

const find = 'customers list --all -p sandbox -o csv --columns id --search'
const found = {out: `customerId\n${seeded.customer}\n`}
const none = {out: 'customerId\n'}
const listTransactions = 'transactions list --all -p sandbox'
const endedBadly = {out: /^transactionStatus\n(FAILED\n|EXPIRED\n)+$/}
const listAccounts = `accounts list --customer ${seeded.customer} -p sandbox`
const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'

const reads: Record<string, Exchange> = {
  [`${find} zoe.ANGSTROM@`]: found,
  [`${find} 4738020A-a06d`]: found,
  [`${find} zoë`]: found,
  [`${find} nobody`]: none,
  [`${find} zoe --type BUSINESS`]: none,
  [`${find} 'ANGSTROM zoe' --whole-words`]: found,
  [`${find} 'zoe angs' --whole-words`]: none,
  "customers list --all -p sandbox -o csv --columns status,type --status 'active,Needs additional-information' --type business":
    {out: /^customerStatus,customerType\n((ACTIVE|NEEDS_ADDITIONAL_INFORMATION),BUSINESS\n)+$/},
  [`customers get ${seeded.customer} -p sandbox --payment-methods --json`]: {
    out: /"availablePaymentMethods": \[[^\]]*"BASE"/,
  },
  [`${listTransactions} -o csv --columns status --status failed,EXPIRED`]: endedBadly,
  [`${listTransactions} -o csv --columns status --status FAILED --status EXPIRED`]: endedBadly,
  [`${listTransactions} --search 'prairie mutual'`]: {
    out: '',
    err: 'No transactions match; names of payees are searched only where they are shown.',
  },
  [`transactions get ${transactionId(1)} -p sandbox --customer ${seeded.customer} --json`]: {
    code: 5,
    err: /"NOT_FOUND".*not among the 8 transactions of customer/,
  },
  // A pending account has no id, and no time.
  [`${listAccounts} -o csv --columns id,status`]: {
    out: /^paymentAccountId,paymentAccountStatus\n([^\n]+\n){8},PENDING\n$/,
  },
  [`${listAccounts} --since 2020-01-01 -o csv --columns status`]: {
    out: /^paymentAccountStatus\n((?!PENDING)[^\n]+\n){8}$/,
    err: 'Left out 1 payment account with no createdAt that can be read (pending ones have none).\n',
  },
  [`accounts list --customer ${grace} -p sandbox`]: {
    out: '',
    err: /^No payment accounts\.\nOnly an ACTIVE customer can pay: /,
  },
  // Only the sandbox can be told to send an event.
  [`events trigger customer.updated --customer ${id}`]: {
    has: hasCustomer({}),
    code: 2,
    err: 'cannot be told to send an event. Send it yourself with --forward-to URL',
  },
  [`events trigger customer.updated --customer ${id} --dry-run --set data.odd=1`]: {
    has: hasCustomer({}),
    sends: [read],
    out: /"type": "customer.updated",[^]*"customerId": "00000000-0000-4000-8000-000000000001",[^]*"odd": "1"/,
  },
  'codes doc_quality_poor --json': {
    out: {
      code: 'DOC_QUALITY_POOR',
      group: 'DOCUMENT',
      meaning: 'The image of the document is too poor to check',
      resolution: 'Upload clear, valid documents',
      resolver: 'CUSTOMER',
      fields: ['documents.frontIdImage', 'documents.backIdImage'],
    },
  },
  'codes DOC_QUALITY_POR': {code: 5, err: 'Did you mean DOC_QUALITY_POOR?\n'},
}

const rulePath = '/automation-rules/rule-1'
const {transactionTemplate: template} = configuration()
const hasRule = (more = {}) => ({[rulePath]: answered('rule-1', more)})
const changeRule = 'rules update rule-1 --yes --json'
const unchanged: Exchange = {
  has: hasRule(),
  sends: [`GET ${rulePath}`],
  out: answered('rule-1'),
  err: 'The rule already has these values; nothing was sent.\n',
}
const refused = (code: number, err: string, more = {}): Exchange => ({
  has: hasRule(more),
  sends: [`GET ${rulePath}`],
  code,
  err,
})
const listed = {
  '/automation-rules': {
    automationRules: [
      answered('rule-1'),
      answered('rule-2', {createdAt: '2026-11-10T00:00:00Z'}),
      answered('rule-3', {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5'}}),
      answered('rule-4', {createdAt: null, trigger: null}),
    ],
  },
}
const listIds = 'rules list --quiet --jq \'.automationRules | map(.id) | join(" ")\''
const many = {automationRules: Array.from({length: 130}, (_, index) => answered(`rule-${index}`))}

const write = (value: unknown) => JSON.stringify(value)
const ofAmount = (value: string) => ({
  ...configuration(),
  transactionTemplate: {...template, amount: {type: 'FLAT', value}},
})
const inUsd = (developerFeeAmount: string) => ({developerFeeType: 'USD', developerFeeAmount})
const ofFee = (fee: object) => ({...configuration(), transactionTemplate: {...template, developerFee: fee}})
const createRule = `rules create --name Payroll --customer ${id} --from wallet-1 --from-currency USDC --from-method BASE --to bank-1 --to-currency USD --to-method ACH --yes --json`
const inSmallLetters = answered('rule-1', {
  transactionTemplate: {...template, amount: {type: 'flat', value: 100}},
  trigger: {type: 'time_based', cronSchedule: '0 9 * * 1-5'},
})
const cutRules = {'/automation-rules': {automationRules: [answered('rule-9')], nextPageToken: 'more'}}
const listOfCustomer = `GET /automation-rules?customerId=${id}`
const spelled = id.replace('0000-4000', 'ABCD-4000')

const rules: Record<string, Exchange> = {
  // The service breaks the contract, which causes only a warning.
  'rules list --json': {
    has: {'/automation-rules': many},
    sends: ['GET /automation-rules'],
    out: many,
    err: 'breaks the interface',
  },
  [`${listIds} --customer ${id} --from 'a&b'`]: {
    has: listed,
    sends: [`GET /automation-rules?customerId=${id}&sourcePaymentAccountId=a%26b`],
    out: 'rule-1 rule-2 rule-3 rule-4\n',
  },
  [`${listIds} --type THRESHOLD_BASED`]: {has: listed, out: 'rule-3\n'},
  [`${listIds} --since 2026-11-05`]: {has: listed, out: 'rule-2\n'},
  [`${listIds} --since 2026-11-01T13:00:00+01:00`]: {has: listed, out: 'rule-1 rule-2 rule-3\n'},
  // The whole rule, without the fields that only the service has.
  [`${changeRule} --percent 12.5`]: {
    has: hasRule(),
    sends: [
      `GET ${rulePath}`,
      [
        `PUT ${rulePath}`,
        {id: 'rule-1', ...configuration(), transactionTemplate: {...template, amount: {type: 'PCT', value: '12.5'}}},
      ],
    ],
  },
  [`${changeRule} --amount 100`]: unchanged,
  [`${changeRule} --developer-fee 0`]: unchanged,
  [`${changeRule} -f - # the whole rule`]: {...unchanged, input: JSON.stringify(configuration({id: 'rule-1'}))},
  [`${changeRule} -f -`]: {...unchanged, input: '{"transactionTemplate": {"developerFee": null}}'},
  [changeRule]: {...refused(2, 'nothing to change'), sends: []},
  [`${changeRule} --set id=rule-2 --amount 5`]: refused(2, 'another rule, rule-2'),
  [`${changeRule} --set name=Other`]: refused(3, 'name from Payroll to Other'),
  [`${changeRule} --set 'trigger.cronSchedule=0 8 * * *' --amount 5`]: refused(3, 'trigger.cronSchedule from'),
  [`${changeRule} --set 'transactionTemplate:={"source": {"sourceCurrency": "USDT"}}'`]: refused(
    3,
    'source.sourceCurrency from',
  ),
  [`${changeRule} --set transactionTemplate.amount.type=PCT`]: {
    ...refused(2, 'amount.type has no value'),
    sends: [],
  },
  [`${changeRule} --set transactionTemplate.amount.value=-5`]: refused(2, 'amount.value must be a decimal'),
  [`${changeRule} --set transactionTemplate.amount.value=150`]: refused(2, 'percentage from 0 to 100', {
    transactionTemplate: {...template, amount: {type: 'PCT', value: '5'}},
  }),
  [`${changeRule} --amount 0`]: refused(2, 'more than 0'),
  [`${changeRule} --developer-fee-type USD`]: refused(2, 'developerFeeAmount is required'),
  ...Object.fromEntries(
    ['rule.yaml', 'rule.json', '-'].flatMap((name) =>
      (['utf16le', 'latin1'] as const).map((encoding): [string, Exchange] => {
        const bytes = Buffer.from(write(configuration({name: 'Miete für März'})), encoding)
        return [
          `rules create -f ${name} --yes # ${encoding}`,
          {
            ...(name === '-' ? {input: bytes} : {files: {[name]: bytes}}),
            sends: [],
            code: 2,
            err: `${name === '-' ? 'Standard input' : `The file ${name}`} is not in UTF-8`,
          },
        ]
      }),
    ),
  ),
  // More decimals than a currency has.
  ...Object.fromEntries(
    [
      'quotes create -f quote.json --amount 0.0000001',
      'pay -f quote.json --amount 0.0000001 --key a --yes',
      `${createRule} --amount 0.0000001 --cron '0 9 * * 1-5'`,
      `${createRule} --amount 5 --threshold 0.0000001`,
    ].map((line): [string, Exchange] => [
      line,
      {files: {'quote.json': write(body)}, sends: [], code: 2, err: 'has more decimals than USDC has, which is 6'},
    ]),
  ),
  [`${createRule} --amount 0.0000001 --cron '0 9 * * 1-5' --accept-warnings`]: {answers: [200, answered('rule-2')]},
  // A dry run has no columns, so it cannot be CSV.
  ...Object.fromEntries(
    [createAda, `quotes create -f quote.json`, changeRule, `${createRule} --amount 100 --cron '0 9 * * 1-5'`].map(
      (line): [string, Exchange] => [
        `${line.replace(' --json', '')}${line === changeRule ? ' --amount 7' : ''} --dry-run -o csv`,
        {has: hasRule(), files: {'quote.json': write(body)}, code: 2, err: 'has no columns'},
      ],
    ),
  ),
  // A rule that the service does not show whole is its fault, and not that of who changes it.
  ...Object.fromEntries(
    [{transactionTemplate: 'none'}, {trigger: null}, {customerId: 7}, {name: ''}].map((more): [string, Exchange] => [
      `${changeRule} --amount 7 # ${write(more)}`,
      {has: hasRule(more), sends: [`GET ${rulePath}`], code: 6, err: 'answered with a rule that is not whole'},
    ]),
  ),
  'rules update rule-1 --amount 7 --dry-run': {
    has: hasRule(),
    sends: [`GET ${rulePath}`],
    out: {method: 'PUT', path: rulePath, body: {id: 'rule-1', ...ofAmount('7')}},
  },
  // The type of a fee stays, and a fee of 0 removes it.
  [`${changeRule} --developer-fee 2`]: {
    has: hasRule({transactionTemplate: {...template, developerFee: inUsd('1')}}),
    sends: [`GET ${rulePath}`, [`PUT ${rulePath}`, {id: 'rule-1', ...ofFee(inUsd('2'))}]],
  },
  [`${changeRule} --developer-fee 0 # removed`]: {
    has: hasRule({transactionTemplate: {...template, developerFee: inUsd('1')}}),
    sends: [`GET ${rulePath}`, [`PUT ${rulePath}`, {id: 'rule-1', ...configuration()}]],
  },
  [`${createRule} --amount 100 --cron '0  9 * * 1-5' --developer-fee 0`]: {
    has: {'/automation-rules': {automationRules: [inSmallLetters]}},
    sends: [listOfCustomer],
    out: inSmallLetters,
    err: 'An equal rule already exists, rule-1; nothing was created.\n',
  },
  [`${createRule} --amount 100.00 --cron '0 9 * * 1-5' --developer-fee 2.5`]: {
    answers: [200, answered('rule-2')],
    sends: [
      listOfCustomer,
      ['POST /automation-rules', ofFee({developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '2.5'})],
    ],
  },
  // The interface does not page rules. A service that does may have an equal one on a later page.
  'rules list --json --quiet': {has: cutRules, out: cutRules['/automation-rules'], code: 12, err: 'LIST_MAY_BE_CUT'},
  [`${createRule} --amount 100 --cron '0 9 * * 1-5'`]: {has: cutRules, code: 6, err: 'LIST_MAY_BE_CUT'},
  // A rule as the service prints it, with flags and --set on top. The digits of a number stay.
  'rules create -f rule.yaml --threshold 500 --set name=0123 --yes': {
    answers: [200, answered('rule-2')],
    files: {
      'rule.yaml': write(configuration({id: 'rule-1', createdAt: '2026-11-01T12:00:00Z'})).replace(
        '"100.00"',
        '0250.10',
      ),
    },
    sends: [
      listOfCustomer,
      [
        'POST /automation-rules',
        {
          ...ofAmount('0250.10'),
          name: '0123',
          trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'},
        },
      ],
    ],
  },
  'rules delete rule-1 --yes --json': {
    has: hasRule(),
    sends: [`GET ${rulePath}`, `DELETE ${rulePath}`],
    out: answered('rule-1'),
  },
  'rules get rule-1': {
    has: hasRule(),
    out: /\nTRIGGER +0 9 \* \* 1-5\n[^]*AMOUNT +100\.0+ USDC\nFROM +wallet-1 BASE USDC\nTO +bank-1 ACH USD\n[^]*DOES +At 09:00, Monday through Friday \(0 9 \* \* 1-5, UTC\), moves[^]*(\w{3} \d{4}-\d\d-\d\d 09:00 UTC\s+){5}/,
  },
  [`rules export --customer ${id}`]: {
    has: listed,
    sends: [listOfCustomer],
    out: /# Automation rules, written by/,
  },
  'rules export --from wallet-1': {
    has: listed,
    sends: ['GET /automation-rules?sourcePaymentAccountId=wallet-1'],
    out: /must not be applied with --prune/,
  },
  // By customer, name and id, whatever the order of the service.
  'rules export': {
    has: {
      '/automation-rules': {
        automationRules: [
          answered('r3', {name: 'A', customerId: customerId(2)}),
          answered('r2', {name: 'b'}),
          answered('r1', {name: 'b'}),
          answered('r4', {name: 'B'}),
        ],
      },
    },
    out: /id: r4\n[^]*id: r1\n[^]*id: r2\n[^]*id: r3\n/,
  },
  // Rules of others, and of nobody, are not deleted, whatever the service lists.
  'rules apply -f rules.json --prune --dry-run --json --quiet': {
    files: {'rules.json': write([configuration({name: 'new'})])},
    has: {
      '/automation-rules': {
        automationRules: [
          answered('mine', {name: 'mine'}),
          answered('theirs', {customerId: customerId(2)}),
          answered('nobody’s', {customerId: null}),
        ],
      },
    },
    out: /^(?![^]*(?:theirs|nobody))[^]*"action": "create",\s+"name": "new",[^]*"action": "delete",\s+"id": "mine"/,
  },
  'rules apply -f rules.json --yes': {
    files: {'rules.json': write([configuration({customerId: spelled})])},
    has: {'/automation-rules': {automationRules: [answered('rule-1', {customerId: spelled})]}},
    sends: ['GET /automation-rules'],
    err: '1 rule, nothing to change.\n',
  },
  // A list that is late lacks a rule which exists.
  'rules apply -f known.json --yes': {
    files: {'known.json': write([{...configuration(), id: 'rule-1'}])},
    has: {'/automation-rules': {automationRules: []}, '/automation-rules/rule-1': answered('rule-1')},
    sends: ['GET /automation-rules', 'GET /automation-rules/rule-1'],
    err: '1 rule, nothing to change.\n',
  },
}

const form = 'https://forms.example.com/verify/f_1?a=b&c=d'
const bankForm = 'https://forms.example.com/bank/'
const pending = (...nicknames: string[]) => ({
  '/payment-accounts': {
    paymentAccounts: nicknames.map((nickname) => ({
      paymentAccountId: '',
      paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
      paymentAccountStatus: 'PENDING',
      nickname,
      bankAccountFormLink: bankForm + nickname,
    })),
  },
})
const payable = {
  '/transactions': {
    transactions: [
      {
        transactionId: customerId(7),
        transferInstructions: {type: 'fiat', transferPaymentLink: 'https://pay.example.com/1'},
      },
      {transactionId: customerId(8)},
    ],
  },
}

const links: Record<string, Exchange> = {
  [`open ${id}`]: {has: hasCustomer({verificationLink: form}), out: `${form}\n`},
  [`open --transaction ${customerId(7)}`]: {has: payable, out: 'https://pay.example.com/1\n'},
  [`open --transaction ${customerId(8)}`]: {has: payable, code: 5, err: 'has no page to pay on'},
  [`open --transaction ${customerId(9)}`]: {has: payable, code: 5, err: customerId(9)},
  [`open ${id} --bank-account`]: {has: pending('Rent'), out: `${bankForm}Rent\n`},
  [`open ${id} --bank-account # several`]: {has: pending('Salary', 'Rent'), code: 2, err: '"Salary", "Rent"'},
  [`open ${id} --bank-account --nickname Rent`]: {has: pending('Salary', 'Rent'), out: `${bankForm}Rent\n`},
  [`open ${id} --bank-account --nickname Other`]: {has: pending('Salary'), code: 5},
  [`open ${id} --bank-account # none`]: {has: pending(), code: 5, err: 'no pending bank account'},
}

const nothing = {'/transactions': {transactions: []}, '/automation-rules': {automationRules: []}}

it.each(Object.entries({...customers, ...money, ...reads, ...rules, ...links}))('svc %s', async (line, exchange) => {
  const {has = {}, answers, files = {}, input, sends, code = 0, out, err = ''} = exchange
  const service = await serve((asked, response) => {
    const own = {...nothing, ...has}[asked.path]
    if (asked.method === 'GET') return reply(response, own ? 200 : 404, own ?? {error: 'NOT_FOUND', message: 'None.'})
    const [status, answer] = answers ?? [200, {...own, ...json(asked.body || '{}')}]
    return reply(response, status, answer)
  })
  const home = freshHome()
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(home.folder, name), text)
  const words = splitWords(line.replace(/ # .*/, ''))
  const env = line.includes('-p sandbox') ? {} : service.env
  const ended = await run(home, words, {env, ...(input !== undefined && {input})})
  expect([ended.code, ended.err]).toEqual([
    code,
    expect.stringMatching(typeof err === 'string' ? RegExp.escape(err) : err),
  ])
  const printed = typeof out === 'object' && !(out instanceof RegExp) ? json(ended.out) : ended.out
  if (code !== 0 && out === undefined) expect(ended.out).toBe('')
  else if (out instanceof RegExp) expect(printed).toMatch(out)
  else if (out !== undefined) expect(printed).toEqual(out)
  const asked = service.requests.map(({method, path: at, query, body: sent, headers}) => {
    const request = [`${method} ${query.size > 0 ? `${at}?${query.toString()}` : at}`, headers['x-idempotency-key']]
    const text = request.filter(Boolean).join(' ')
    return sent === '' ? text : [text, json(sent)]
  })
  if (sends) expect(asked).toEqual(sends)
})
