// Arbitrary cron schedules with five fields, for fast-check.
import * as fc from 'fast-check'

const item = (min: number, max: number) =>
  fc.oneof(
    fc.integer({min, max}).map(String),
    fc.integer({min: 1, max: max - min + 1}).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({min, max}), fc.integer({min, max}))
      .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
    fc
      .tuple(fc.integer({min, max}), fc.integer({min, max}), fc.integer({min: 1, max: max - min + 1}))
      .map(([one, other, step]) => `${Math.min(one, other)}-${Math.max(one, other)}/${step}`),
  )

const field = (min: number, max: number, ...more: string[]) =>
  fc.oneof(
    fc.constantFrom('*', '?', ...more),
    fc.array(item(min, max), {minLength: 1, maxLength: 3}).map((items) => items.join(',')),
  )

const parts = [
  field(0, 59),
  field(0, 23),
  field(1, 31),
  field(1, 12, 'JAN', 'feb-JUN', 'MAR,DEC'),
  field(0, 6, '7', '5-7', 'MON', 'mon-FRI', 'SAT,SUN', '+1', '+MON-FRI'),
] as const

// With days that depend on the month.
export const anySchedule = fc
  .tuple(
    parts[0],
    parts[1],
    fc.oneof(parts[2], fc.constantFrom('L', 'LW', '15W', '1,L', '1,15W')),
    parts[3],
    fc.oneof(parts[4], fc.constantFrom('5L', '1#2', 'MON#1', '1,3#2', '7L', '+5L')),
  )
  .map((fields) => fields.join(' '))
