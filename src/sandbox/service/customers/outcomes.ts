// The outcomes of a verification that can be forced: where each leads, what it makes of the customer ("the customer cannot be …"),
// whether it has issues, and whether it ends a review, which is started first if none is in progress. Library users see their names,
// so it imports nothing.

export const verificationOutcomes = {
  approved: {to: 'ACTIVE', pastParticiple: 'approved', takesIssues: false, endsReview: true},
  'needs-information': {
    to: 'NEEDS_ADDITIONAL_INFORMATION',
    pastParticiple: 'asked for more information',
    takesIssues: true,
    endsReview: true,
  },
  rejected: {to: 'REJECTED', pastParticiple: 'rejected', takesIssues: true, endsReview: true},
  deactivated: {to: 'DEACTIVATED', pastParticiple: 'deactivated', takesIssues: false, endsReview: false},
  'manual-review': {
    to: 'UNDER_REVIEW',
    pastParticiple: 'put under manual review',
    takesIssues: false,
    endsReview: true,
  },
} as const

export type Outcome = keyof typeof verificationOutcomes
