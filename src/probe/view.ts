// The table of `svc probe`: what was asked, what was found, and what it means for payments.
import type {View} from '../cli/output/view.ts'
import type {KnowledgeRow} from '../profiles/describe-knowledge.ts'

export const knowledgeView: View<KnowledgeRow> = {
  singular: 'finding',
  plural: 'findings',
  columns: [
    {name: 'subject', header: 'SUBJECT', value: (row) => row.subject, rank: 0, onRequest: true},
    {name: 'asked', header: 'ASKED', value: (row) => row.asked, rank: 0, widthMin: 18, wraps: true},
    {name: 'found', header: 'FOUND', value: (row) => row.found, rank: 0, widthMin: 20, wraps: true},
    {name: 'means', header: 'FOR PAYMENTS', value: (row) => row.means, rank: 0, widthMin: 20, wraps: true},
    {name: 'isKnown', header: 'KNOWN', value: (row) => row.isKnown, rank: 1, onRequest: true},
  ],
}
