// What each state of a thing means, in one sentence, and what to do next. The pages pick from these tables, and compose nothing.
import {readCode} from '../../contract/loose.ts'
import {lookUp} from '../../values/records.ts'
import type {Tone} from '../format.ts'

export interface Words {
  tone: Tone
  sentence: string
  // What to do next, and the command for it, in which ID stands for the thing.
  next?: string
  command?: string
}

const askSupport = 'ask the support of the service.'

// By the status, and for a verified customer by what stands in the way of a payment, or by how the last one stands.
const customerWords = {
  CREATED: {
    tone: 'open',
    sentence: 'This customer cannot be paid: nobody has sent the data for the verification.',
    next: 'send it, with the hosted form or',
    command: 'svc customers update ID',
  },
  UNDER_REVIEW: {
    tone: 'quiet',
    sentence: 'This customer cannot be paid yet: the service is checking the data.',
    next: 'wait for the outcome:',
    command: 'svc customers watch ID',
  },
  NEEDS_ADDITIONAL_INFORMATION: {
    tone: 'open',
    sentence: 'This customer cannot be paid: the service refused some of the data.',
    next: 'correct it, with the hosted form or',
    command: 'svc customers fix ID',
  },
  REJECTED: {
    tone: 'bad',
    sentence: 'This customer cannot be paid: the service rejected the verification, and takes no more data.',
    next: askSupport,
  },
  DEACTIVATED: {
    tone: 'bad',
    sentence: 'This customer cannot be paid: the service deactivated the customer, and does not say why.',
    next: askSupport,
  },
  NO_ACCOUNT: {
    tone: 'open',
    sentence: 'This customer is verified, but cannot be paid: there is no account that money could go to.',
    next: 'the service has to add one.',
  },
  ACCOUNT_PENDING: {
    tone: 'open',
    sentence: 'This customer is verified, but cannot be paid: the form of the account has not been filled in.',
    next: 'have it filled in:',
    command: 'svc open ID --bank-account',
  },
  NO_PAYMENT: {tone: 'quiet', sentence: 'This customer is verified and can be paid. There is no payment yet.'},
  PAYMENT_UNKNOWN: {
    tone: 'bad',
    sentence: 'Whether the last payment was made is not known.',
    next: 'its page says how to find out.',
  },
  PAYMENT_NOT_MADE: {tone: 'open', sentence: 'The last payment was not made.', next: 'its page says why.'},
  PAYMENT_FAILED: {
    tone: 'bad',
    sentence: 'This customer can be paid, but the last payment did not arrive.',
    next: 'its page says what is known of why.',
  },
  PAYMENT_WAITS: {
    tone: 'open',
    sentence: 'The last payment waits for money from outside.',
    next: 'its page says where to send it.',
  },
  PAYMENT_UNDER_WAY: {tone: 'quiet', sentence: 'The last payment is under way.'},
  PAYMENT_ARRIVED: {tone: 'good', sentence: 'The last payment to this customer arrived.'},
  NOT_READ: {tone: 'open', sentence: 'This customer is verified. Whether it was paid could not be read.'},
} as const satisfies Record<string, Words>

export type CustomerSituation = keyof typeof customerWords

const transactionWords: Readonly<Record<string, Words>> = {
  CREATED: {tone: 'quiet', sentence: 'The service has it and has not begun: no money has moved yet.'},
  AWAITING_TRANSFER: {
    tone: 'open',
    sentence: 'It waits for money from outside.',
    next: 'send the money as the instructions say.',
  },
  PROCESSING: {tone: 'quiet', sentence: 'The money is on its way.'},
  COMPLETED: {tone: 'good', sentence: 'The money arrived.'},
  FAILED: {tone: 'bad', sentence: 'It failed: no money arrived.', next: 'to pay again, use svc pay with a new key.'},
  CANCELLED: {
    tone: 'bad',
    sentence: 'It was cancelled: no money arrived.',
    next: 'to pay again, use svc pay with a new key.',
  },
  EXPIRED: {
    tone: 'bad',
    sentence: 'It expired, since the money did not come in time.',
    next: 'to pay again, use svc pay with a new key.',
  },
  DEALT_WITH: {tone: 'quiet', sentence: 'No money arrived. A person said that this is dealt with.'},
}

const accountWords: Readonly<Record<string, Words>> = {
  PENDING: {
    tone: 'open',
    sentence: 'It cannot be used yet: its form has not been filled in.',
    next: 'have it filled in:',
    command: 'svc open ID --bank-account',
  },
  ACTIVE: {tone: 'good', sentence: 'It can be used.'},
}

const payAgain = {next: 'the same key tries again: svc pay.'}
const findOut = {next: 'find out:', command: 'svc journal settle ID'}

const paymentWords: Readonly<Record<string, Words>> = {
  INTENDED: {tone: 'quiet', sentence: 'It was planned. Nothing was sent.', ...payAgain},
  QUOTED: {tone: 'quiet', sentence: 'Its price was asked for. Nothing was sent.', ...payAgain},
  ARMED: {tone: 'open', sentence: 'It was about to be sent. Whether it was is not known.', ...findOut},
  UNKNOWN: {tone: 'bad', sentence: 'It was sent, and the answer was lost: it may have been paid.', ...findOut},
  CREATED: {
    tone: 'good',
    sentence: 'The service accepted it.',
    next: 'its transaction shows whether the money arrived.',
  },
  ENDED: {
    tone: 'bad',
    sentence: 'Its transaction ended badly: the money did not arrive.',
    next: 'to pay again, use svc pay with a new key: this one keeps its transaction.',
  },
  DEALT_WITH: {
    tone: 'quiet',
    sentence: 'Its transaction ended badly. A person said that this is dealt with.',
  },
  REJECTED: {tone: 'bad', sentence: 'The service refused it. Nothing was paid.', ...payAgain},
  STOPPED: {tone: 'open', sentence: 'It was stopped before it was sent. Nothing was paid.', ...payAgain},
  ABANDONED: {tone: 'quiet', sentence: 'It was given up. Nothing was paid.', ...payAgain},
}

// By where it came from, and whether anybody got it.
const eventWords: Readonly<Record<string, Words>> = {
  REPORT: {tone: 'quiet', sentence: 'It reports a change of a customer.'},
  TRIGGERED: {tone: 'quiet', sentence: 'It was made up with svc events trigger: the customer did not change.'},
  MADE_UP: {tone: 'quiet', sentence: 'Somebody made the customer change with a control of the sandbox.'},
  UNVERIFIED: {tone: 'bad', sentence: 'Its signature was not verified, so anybody may have sent it.'},
  FAILED: {
    tone: 'bad',
    sentence: 'An endpoint did not get it.',
    next: 'send it again:',
    command: 'svc events resend ID',
  },
}

const tables: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  customer: customerWords,
  transaction: transactionWords,
  account: accountWords,
  payment: paymentWords,
  event: eventWords,
}

const unknownState: Words = {
  tone: 'open',
  sentence: 'svc does not know this status.',
  next: 'ask the service what it means.',
}

export const findWords = (noun: 'customer' | 'transaction' | 'account' | 'payment' | 'event', state: unknown): Words =>
  lookUp(tables[noun] ?? {}, readCode(state)) ?? unknownState
