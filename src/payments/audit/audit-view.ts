// How the results of `svc journal verify`, `head` and `prove` are shown.
import * as Flags from '@oclif/core/flags'
import {type View, toText} from '../../cli/output/view.ts'
import type {WrittenArchive} from './archive-journal.ts'
import type {ProofCheck} from './verify-proof.ts'
import type {ReproducedStep} from './script.ts'
import type {JournalCheck} from './check-journal.ts'
import type {ExportedHead, WrittenProof} from './write-proof.ts'

// For commands that read archives as a part of the journal.
export const archiveFlag = Flags.string({
  summary: 'Read this archive as a part of the journal; can be repeated',
  helpValue: 'FILE',
  multiple: true,
})

const formatIntact = (isIntact: unknown) => (isIntact === true ? 'yes' : 'NO')

export const journalCheckView: View<JournalCheck> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'journal', header: 'JOURNAL', value: (c) => c.journal, rank: 0},
    {name: 'isIntact', short: 'intact', header: 'INTACT', value: (c) => c.isIntact, format: formatIntact, rank: 0},
    {name: 'finding', header: 'FINDING', value: (c) => c.finding, format: (_, c) => c.finding?.message, rank: 0},
    {name: 'entries', header: 'ENTRIES', value: (c) => c.entries, rank: 1},
    {name: 'decisions', header: 'DECISIONS', value: (c) => c.decisions, rank: 2},
    {name: 'payments', header: 'PAYMENTS', value: (c) => c.payments, rank: 1},
    {
      name: 'archived',
      header: 'NOT CHECKED, IN ARCHIVES',
      value: (c) => c.archived,
      format: (_, c) =>
        c.archived && `${c.archived.entries} entries, ${c.archived.payments} payments: give --archive FILE`,
      rank: 1,
      hidesEmpty: true,
    },
    {name: 'lastEntryAt', short: 'last', header: 'LAST ENTRY (UTC)', value: (c) => c.lastEntryAt, rank: 2},
    {
      name: 'head',
      header: 'COMPARED WITH',
      value: (c) => c.head,
      format: (_, c) => c.head && `${c.head.file} of ${c.head.at}, ${c.head.entries} entries`,
      rank: 2,
    },
    {
      name: 'signature',
      header: 'SIGNATURE',
      value: (c) => c.head?.signature,
      rank: 2,
    },
    {name: 'signedHeads', short: 'signed', header: 'SIGNED HEADS IN IT', value: (c) => c.signedHeads, rank: 3},
    {name: 'signedEntries', header: 'SIGNED ENTRIES', value: (c) => c.signedEntries, rank: 3},
    {name: 'digest', header: 'DIGEST', value: (c) => c.digest, rank: 3},
  ],
}

export const proofCheckView: View<ProofCheck> = {
  singular: 'proof',
  plural: 'proofs',
  covers: ['links'],
  columns: [
    {name: 'file', header: 'FILE', value: (c) => c.file, rank: 0},
    {name: 'isIntact', short: 'intact', header: 'HOLDS', value: (c) => c.isIntact, format: formatIntact, rank: 0},
    {name: 'finding', header: 'FINDING', value: (c) => c.finding, rank: 0},
    {name: 'key', header: 'PAYMENT', value: (c) => c.key, rank: 0},
    {name: 'service', header: 'SERVICE', value: (c) => c.service, rank: 2},
    {name: 'state', header: 'STATE', value: (c) => c.state, rank: 0, colour: 'status'},
    {name: 'amount', header: 'AMOUNT', value: (c) => c.amount, rank: 1},
    {
      name: 'payee',
      header: 'PAYEE',
      value: (c) => c.payee,
      format: (payee) => payee && `${toText(payee)} (not proven: the name that the service gave when it was written)`,
      rank: 1,
    },
    {
      name: 'transactionId',
      short: 'transaction',
      header: 'TRANSACTION',
      value: (c) => c.transactionId,
      rank: 1,
      isId: true,
    },
    {name: 'recordedAt', short: 'recorded', header: 'RECORDED (UTC)', value: (c) => c.recordedAt, rank: 2},
    {
      name: 'entries',
      header: 'ENTRIES',
      value: (c) => c.entries,
      format: (_, c) => (c.entries === undefined ? undefined : `${c.entries}, in ${c.links} links to the head`),
      rank: 2,
    },
    {
      name: 'head',
      header: 'HEAD',
      value: (c) => c.head,
      format: (_, c) => c.head && [`of ${c.head.at}`, `SHA-256 ${c.head.digest}`],
      rank: 2,
    },
    {name: 'signature', header: 'SIGNATURE', value: (c) => c.head?.signature, rank: 1},
    {
      name: 'approvals',
      header: 'APPROVALS',
      value: (c) => c.approvals,
      format: (_, c) =>
        c.approvals?.map(({signer, covers, signature, withdrawnAt}) =>
          [`${signer}: ${signature}, for ${covers}`, withdrawnAt && `withdrawn ${withdrawnAt}`]
            .filter(Boolean)
            .join(', '),
        ),
      rank: 2,
    },
    {
      name: 'otherApprovals',
      short: 'other',
      header: 'DO NOT COUNT',
      value: (c) => c.otherApprovals,
      format: (_, c) => c.otherApprovals?.map(({signer, reason}) => `${signer}: ${reason}`),
      rank: 3,
    },
    {
      name: 'written',
      header: 'WRITTEN',
      value: (c) => c.written,
      format: (_, c) => c.written && `${c.written.at} by ${c.written.by}, svc ${c.written.svc}`,
      rank: 3,
    },
  ],
}

export const archiveView: View<WrittenArchive> = {
  singular: 'archive',
  plural: 'archives',
  columns: [
    {name: 'file', header: 'FILE', value: (a) => a.file, rank: 0},
    {name: 'since', header: 'SINCE (UTC)', value: (a) => a.since, rank: 1, hidesEmpty: true},
    {name: 'before', header: 'BEFORE (UTC)', value: (a) => a.before, rank: 1},
    {name: 'entries', header: 'ENTRIES', value: (a) => a.entries, rank: 0},
    {name: 'payments', header: 'PAYMENTS BEGUN', value: (a) => a.payments, rank: 1},
    {
      name: 'isPruned',
      short: 'pruned',
      header: 'REMOVED FROM THE JOURNAL',
      value: (a) => a.isPruned,
      format: (isPruned) => (isPruned === true ? 'yes' : 'no'),
      rank: 0,
    },
    {name: 'digest', header: 'DIGEST', value: (a) => a.digest, rank: 2},
  ],
}

export const headView: View<ExportedHead> = {
  singular: 'head',
  plural: 'heads',
  columns: [
    {name: 'journal', header: 'JOURNAL', value: (h) => h.journal, rank: 0},
    {name: 'at', header: 'AT (UTC)', value: (h) => h.at, rank: 0},
    {name: 'entries', header: 'ENTRIES', value: (h) => h.entries, rank: 0},
    {name: 'digest', header: 'DIGEST', value: (h) => h.digest, rank: 0},
    {name: 'signedBy', short: 'signed', header: 'SIGNED BY', value: (h) => h.signedBy, rank: 0},
    {name: 'files', header: 'FILES', value: (h) => h.files, rank: 1},
  ],
}

export const proofView: View<WrittenProof> = {
  singular: 'proof',
  plural: 'proofs',
  columns: [
    {name: 'file', header: 'FILE', value: (p) => p.file, rank: 0},
    {name: 'key', header: 'PAYMENT', value: (p) => p.key, rank: 0},
    {name: 'state', header: 'STATE', value: (p) => p.state, rank: 0, colour: 'status'},
    {name: 'payee', header: 'PAYEE', value: (p) => p.payee, rank: 0},
    {name: 'entries', header: 'ENTRIES', value: (p) => p.entries, rank: 1},
    {name: 'headAt', short: 'head', header: 'HEAD OF (UTC)', value: (p) => p.headAt, rank: 1},
    {name: 'isSigned', short: 'signed', header: 'SIGNED', value: (p) => p.isSigned, format: formatSigned, rank: 1},
    {name: 'digest', header: 'DIGEST', value: (p) => p.digest, rank: 2},
  ],
}

function formatSigned(isSigned: unknown): string {
  return isSigned === true ? 'yes' : 'no: sign a head with `svc journal head --signing-key KEY`'
}

// How the steps of a reproduction are shown.
const timeLength = 'HH:MM:SS.mmm'.length
const dateLength = 'YYYY-MM-DDT'.length

const formatTime = (at: unknown) => String(at).slice(dateLength, dateLength + timeLength)

export const reproductionView: View<ReproducedStep> = {
  singular: 'step',
  plural: 'steps',
  columns: [
    {name: 'step', header: 'STEP', value: (s) => s.step, rank: 0, align: 'right'},
    {name: 'at', header: 'AT (UTC)', value: (s) => s.at, rank: 1},
    {
      name: 'serviceTime',
      short: 'service',
      header: 'SERVICE CLOCK',
      value: (s) => s.serviceTime,
      format: formatTime,
      rank: 3,
    },
    {name: 'what', header: 'JOURNAL', value: (s) => s.what, rank: 0},
    {name: 'state', header: 'STATE', value: (s) => s.state, rank: 2, colour: 'status'},
    {
      name: 'events',
      header: 'WHAT HAPPENED',
      value: (s) => s.events,
      format: (_, {events, reason}) => [...events, ...(reason ? [reason] : [])].join('; '),
      rank: 0,
      wraps: true,
      widthMin: 24,
    },
    {name: 'reason', header: 'REASON', value: (s) => s.reason, rank: 4, onRequest: true},
  ],
}

// One step for a person who goes through them.
export function describeStep({step, at, serviceTime, what, state, reason, events}: ReproducedStep, total: number) {
  return [
    ...events.map((event) => `     ${event}`),
    `${String(step).padStart(3)}/${total}  ${what}  ${at.slice(0, dateLength - 1)} ${formatTime(at)} UTC, service ${formatTime(serviceTime)}, the payment is ${state}`,
    ...(reason ? [`     ${reason}`] : []),
  ]
}
