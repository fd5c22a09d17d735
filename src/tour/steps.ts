// The steps of the tour: what is said, and the commands that are run.
import {mateo} from './files.ts'

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
          'customers',
          'list',
          '--all',
          '--jq',
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
        args: [
          'sandbox',
          'faults',
          'add',
          '--method',
          'POST',
          '--path',
          '/transactions',
          '--kind',
          'delay',
          '--delay',
          '60s',
          '--times',
          '1',
          '--quiet',
        ],
      },
      {args: ['pay', '-f', 'rent.yaml'], isKilled: true, says: 'Killed while it waits for the answer:'},
      {
        args: ['journal', 'list', ...columns('key,state,amount')],
        says: 'Nobody knows now whether it was paid. The journal says so.',
      },
      {args: ['pay', '-f', 'rent.yaml', ...columns('status,from,to,fees')]},
      {
        args: [
          'transactions',
          'list',
          '--all',
          '--jq',
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
