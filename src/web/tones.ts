// What a status means to a person: that all is well, that it is not, or that somebody has to act. Tables and pages colour it alike.
import {readCode} from '../contract/loose.ts'

export type Tone = 'good' | 'bad' | 'open' | 'quiet'

// The statuses of the service and of svc, and what svc says of its own work, in whatever case.
const tones: Readonly<Record<Exclude<Tone, 'quiet'>, string>> = {
  good: 'ACTIVE COMPLETED DELIVERED ENABLED VERIFIED CREATE DONE ADOPTED OK',
  bad: 'REJECTED DEACTIVATED FAILED CANCELLED EXPIRED DISABLED UNKNOWN STOPPED ENDED_BADLY REFUSED DELETE',
  open: 'NEEDS_ADDITIONAL_INFORMATION AWAITING_TRANSFER ARMED PENDING UNVERIFIED ABANDONED UPDATE REPLACE WARNING LIVE',
}

const toneOf = new Map(
  Object.entries(tones).flatMap(([tone, statuses]) => statuses.split(' ').map((status) => [status, tone as Tone])),
)

export const getTone = (status: unknown): Tone => toneOf.get(readCode(status)) ?? 'quiet'
