// What each state of a thing means, in one sentence, and what to do next. The pages pick from these tables, and compose nothing.
import {readCode} from '../../contract/loose.ts'
import {lookUp} from '../../values/records.ts'
import type {Tone} from '../tones.ts'

export interface Words {
  tone: Tone
  sentence: string
  // What to do next, and the command for it, in which ID stands for the thing.
  next?: string
  command?: string
}

const askSupport = {next: 'Ask the support of the service.'}
const findOut = {next: 'Find out:', command: 'svc journal settle ID'}
const payAgain = {next: 'The same key tries again:', command: 'svc pay'}
const newKey = {next: 'To pay again, with a new key:', command: 'svc pay'}
const fillIn = {next: 'Have it filled in:', command: 'svc open ID --bank-account'}

const words = {
  // By the status, and for a verified customer by what stands in the way of a payment, or by how the last one stands.
  customer: {
    CREATED: {
      tone: 'open',
      sentence: 'This customer cannot be paid: nobody has sent the data for the verification.',
      next: 'Send it, with the hosted form or',
      command: 'svc customers update ID',
    },
    UNDER_REVIEW: {
      tone: 'quiet',
      sentence: 'This customer cannot be paid yet: the service is checking the data.',
      next: 'Wait for the outcome:',
      command: 'svc customers watch ID',
    },
    NEEDS_ADDITIONAL_INFORMATION: {
      tone: 'open',
      sentence: 'This customer cannot be paid: the service refused some of the data.',
      next: 'Correct it, with the hosted form or',
      command: 'svc customers fix ID',
    },
    REJECTED: {
      tone: 'bad',
      sentence: 'This customer cannot be paid: the service rejected the verification, and takes no more data.',
      ...askSupport,
    },
    DEACTIVATED: {
      tone: 'bad',
      sentence: 'This customer cannot be paid: the service deactivated the customer, and does not say why.',
      ...askSupport,
    },
    NO_ACCOUNT: {
      tone: 'open',
      sentence: 'This customer is verified, but cannot be paid: there is no account that money could go to.',
      next: 'The service has to add one.',
    },
    ACCOUNT_PENDING: {
      tone: 'open',
      sentence: 'This customer is verified, but cannot be paid: the form of the account has not been filled in.',
      ...fillIn,
    },
    NO_PAYMENT: {tone: 'quiet', sentence: 'This customer is verified and can be paid. There is no payment yet.'},
    PAYMENT_UNKNOWN: {
      tone: 'bad',
      sentence: 'Whether the last payment was made is not known.',
      next: 'Its page says how to find out.',
    },
    PAYMENT_NOT_MADE: {tone: 'open', sentence: 'The last payment was not made.', next: 'Its page says why.'},
    PAYMENT_FAILED: {
      tone: 'bad',
      sentence: 'This customer can be paid, but the last payment did not arrive.',
      next: 'Its page says what is known of why.',
    },
    PAYMENT_WAITS: {
      tone: 'open',
      sentence: 'The last payment waits for money from outside.',
      next: 'Its page says where to send it.',
    },
    PAYMENT_UNDER_WAY: {tone: 'quiet', sentence: 'The last payment is under way.'},
    PAYMENT_ARRIVED: {tone: 'good', sentence: 'The last payment to this customer arrived.'},
    NOT_READ: {tone: 'open', sentence: 'This customer is verified. Whether it was paid could not be read.'},
  },
  transaction: {
    CREATED: {tone: 'quiet', sentence: 'The service has it and has not begun: no money has moved yet.'},
    AWAITING_TRANSFER: {
      tone: 'open',
      sentence: 'It waits for money from outside.',
      next: 'Send the money as the instructions say.',
    },
    PROCESSING: {tone: 'quiet', sentence: 'The money is on its way.'},
    COMPLETED: {tone: 'good', sentence: 'The money arrived.'},
    FAILED: {tone: 'bad', sentence: 'It failed: no money arrived.', ...newKey},
    CANCELLED: {tone: 'bad', sentence: 'It was cancelled: no money arrived.', ...newKey},
    EXPIRED: {tone: 'bad', sentence: 'It expired, since the money did not come in time.', ...newKey},
    DEALT_WITH: {tone: 'quiet', sentence: 'No money arrived. A person said that this is dealt with.'},
  },
  account: {
    PENDING: {tone: 'open', sentence: 'It cannot be used yet: its form has not been filled in.', ...fillIn},
    ACTIVE: {tone: 'good', sentence: 'It can be used.'},
  },
  payment: {
    INTENDED: {tone: 'quiet', sentence: 'It was planned. Nothing was sent.', ...payAgain},
    QUOTED: {tone: 'quiet', sentence: 'Its price was asked for. Nothing was sent.', ...payAgain},
    ARMED: {tone: 'open', sentence: 'It was about to be sent. Whether it was is not known.', ...findOut},
    UNKNOWN: {tone: 'bad', sentence: 'It was sent, and the answer was lost: it may have been paid.', ...findOut},
    CREATED: {
      tone: 'good',
      sentence: 'The service accepted it.',
      next: 'Its transaction shows whether the money arrived.',
    },
    ENDED: {tone: 'bad', sentence: 'Its transaction ended badly: the money did not arrive.', ...newKey},
    DEALT_WITH: {tone: 'quiet', sentence: 'Its transaction ended badly. A person said that this is dealt with.'},
    REJECTED: {tone: 'bad', sentence: 'The service refused it. Nothing was paid.', ...payAgain},
    STOPPED: {tone: 'open', sentence: 'It was stopped before it was sent. Nothing was paid.', ...payAgain},
    ABANDONED: {tone: 'quiet', sentence: 'It was given up. Nothing was paid.', ...payAgain},
  },
  // By where it came from, and whether anybody got it.
  event: {
    REPORT: {tone: 'quiet', sentence: 'It reports a change of a customer.'},
    TRIGGERED: {tone: 'quiet', sentence: 'It was made up with svc events trigger: the customer did not change.'},
    MADE_UP: {tone: 'quiet', sentence: 'Somebody made the customer change with a control of the sandbox.'},
    UNVERIFIED: {tone: 'bad', sentence: 'Its signature was not verified, so anybody may have sent it.'},
    FAILED: {
      tone: 'bad',
      sentence: 'An endpoint did not get it.',
      next: 'Send it again:',
      command: 'svc sandbox webhooks resend ID',
    },
  },
} as const satisfies Record<string, Record<string, Words>>

export type CustomerSituation = keyof (typeof words)['customer']

const unknownState: Words = {
  tone: 'open',
  sentence: 'svc does not know this status.',
  next: 'Ask the service what it means.',
}

export const findWords = (noun: keyof typeof words, state: unknown): Words =>
  lookUp<Words>(words[noun], readCode(state)) ?? unknownState

// Each line of a payment's history in the journal.
const lineWords: Readonly<Record<string, readonly [title: string, tone: Tone]>> = {
  INTENDED: ['Planned and written down, before anything was asked', 'quiet'],
  QUOTED: ['The service quoted a price', 'quiet'],
  NO_QUOTE: ['The service quoted no price: nothing was sent', 'bad'],
  STOPPED: ['Stopped before it was sent', 'open'],
  ARMED: ['Written down as about to be sent', 'open'],
  CREATED: ['The service made the transaction', 'good'],
  ADOPTED: ['Its transaction was found at the service', 'good'],
  REFUSED: ['The service refused it; its list has not confirmed that yet', 'open'],
  REJECTED: ['The service refused it, and its list has no transaction of it', 'bad'],
  UNKNOWN: ['The answer was lost: whether it was paid is not known', 'bad'],
  RESENDING: ['The same request was sent again', 'open'],
  NOT_FOUND: ['The service’s list has no transaction of it', 'quiet'],
  ABANDONED: ['Given up', 'open'],
  ENDED: ['The transaction ended badly', 'bad'],
  DISMISSED: ['A person said that it needs nobody any more', 'quiet'],
  RESUMED: ['It was tried again', 'open'],
  CONTENT_CHANGED: ['What is to be paid was changed', 'open'],
  TAKEN_OVER: ['Taken over from a process that had stopped', 'quiet'],
  APPROVAL_USED: ['Approved', 'quiet'],
  APPROVAL_WITHDRAWN: ['An approval was withdrawn', 'quiet'],
  LIMITS_CHANGED: ['The limits were changed', 'quiet'],
  ENDING_DEALT_WITH: ['A person said that its bad ending is dealt with', 'quiet'],
}

export const findLineWords = (what: string) => lookUp(lineWords, what)
