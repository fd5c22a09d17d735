// How fast the whole fleet may call a service: a rate that a person set, and a slower one for a while after the service failed or
// asked for it. Both are kept in the database, so that they hold for all workers.
import {badUsage} from '../../errors.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'

interface Permission {
  // How many rows may be started now.
  granted: number
  // If none: how long to wait before asking again.
  waitMs: number
}

export interface Pace {
  // Rows a second that a person allows.
  rateMax?: number | undefined
  // Rows a second for now, because the service failed.
  slowRate?: number | undefined
  // Nothing is started before this many milliseconds have passed.
  waitMs: number
}

// After a slowdown the rate doubles in this time, and the slowdown is over after so many doublings.
const doublingSeconds = 10
const doublingsMax = 12
const slowRateMin = 0.2

// What the rate is now: the slower one of both.
const slowRate = `slow_rate * power(2, extract(epoch from clock_timestamp() - slowed_at) / ${doublingSeconds})`
const isSlowed = `slowed_at > clock_timestamp() - interval '${doublingSeconds * doublingsMax} seconds'`
const ratedText = `
  select service_id, tokens, refilled_at, not_before, rate_max, clock_timestamp() as at,
    case when ${isSlowed} then ${slowRate} end as slow,
    least(coalesce(rate_max, 'Infinity'), case when ${isSlowed} then ${slowRate} else 'Infinity' end) as rate
  from svc.paces where service_id = $1`

// One statement, so that two workers cannot both take the last one. At most a second's worth is saved up.
const takeText = `
  with rated as (${ratedText} for update),
  filled as (
    select *, case when rate = 'Infinity' then $2::double precision
      else least(greatest(rate, 1), tokens + rate * extract(epoch from at - refilled_at)) end as available
    from rated
  ),
  granted as (
    select *, case when not_before > at then 0 else floor(least($2::double precision, available)) end as taken from filled
  )
  update svc.paces p set tokens = case when g.rate = 'Infinity' then 0 else g.available - g.taken end, refilled_at = g.at
  from granted g where p.service_id = g.service_id
  returning g.taken::integer as granted,
    (case when g.not_before > g.at then extract(epoch from g.not_before - g.at)
      when g.taken > 0 then 0 else (1 - g.available) / g.rate end * 1000)::double precision as "waitMs"`

export async function takePermission(
  database: PostgresDatabase,
  serviceId: string,
  wanted: number,
): Promise<Permission> {
  const [permission] = await database.write<Permission & Record<string, unknown>>(
    {name: 'take_pace', text: takeText},
    [serviceId, wanted],
    {isRepeatable: true},
  )
  return permission ?? {granted: wanted, waitMs: 0}
}

// What was taken and not used is there for others.
export async function returnPermission(database: PostgresDatabase, serviceId: string, count: number): Promise<void> {
  if (count <= 0) return
  const text = 'update svc.paces set tokens = tokens + $2 where service_id = $1'
  await database.write({text}, [serviceId, count], {isRepeatable: true})
}

interface PaceRecord extends Record<string, unknown> {
  rate_max: number | null
  slow: number | null
  wait: number
}

export async function readPace(database: Pick<PostgresDatabase, 'read'>, serviceId: string): Promise<Pace> {
  const text = `select rate_max, slow, greatest(0, extract(epoch from not_before - at) * 1000)::double precision as wait
    from (${ratedText}) rated`
  const [found] = await database.read<PaceRecord>({name: 'read_pace', text}, [serviceId])
  return {
    ...(found?.rate_max != null && {rateMax: found.rate_max}),
    ...(found?.slow != null && {slowRate: found.slow}),
    waitMs: found?.wait ?? 0,
  }
}

export const isLimited = ({rateMax, slowRate: slow, waitMs}: Pace) =>
  rateMax !== undefined || slow !== undefined || waitMs > 0

export async function setRateMax(
  database: PostgresDatabase,
  serviceId: string,
  rateMax: number | undefined,
): Promise<void> {
  const text = `insert into svc.paces (service_id, rate_max) values ($1, $2)
    on conflict (service_id) do update set rate_max = excluded.rate_max`
  await database.write({text}, [serviceId, rateMax ?? null], {isRepeatable: true})
}

// Halves the rate of the whole fleet, at most once a second, and lets nobody start before `pauseMs` have passed.
const slowText = `
  insert into svc.paces as p (service_id, slow_rate, slowed_at, not_before)
  select $1, greatest(1, coalesce(sum(w.rows_per_second), 0) / 2), now(), now() + $2 * interval '1 millisecond'
  from svc.workers w where w.service_id = $1 and w.seen_at > now() - interval '30 seconds'
  on conflict (service_id) do update set
    not_before = greatest(p.not_before, excluded.not_before),
    slow_rate = case when p.slowed_at > now() - interval '1 second' then p.slow_rate
      when p.slowed_at > now() - interval '${doublingSeconds * doublingsMax} seconds'
        then greatest(${slowRateMin}, least(excluded.slow_rate, ${slowRate.replaceAll(/slow_rate|slowed_at/g, 'p.$&')} / 2))
      else excluded.slow_rate end,
    slowed_at = case when p.slowed_at > now() - interval '1 second' then p.slowed_at else now() end`

export async function slowDown(database: PostgresDatabase, serviceId: string, pauseMs: number): Promise<void> {
  await database.write({text: slowText}, [serviceId, Math.ceil(pauseMs)], {isRepeatable: true})
}

// Parses a rate such as 20/s or 300/m, in rows a second.
const secondsByUnit: Readonly<Record<string, number>> = {'': 1, s: 1, m: 60, h: 3600}
const ratePattern = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/
const rateMax = 100_000

// Null for "none", which removes the limit.
export function parseRate(text: string): number | null {
  if (text === 'none') return null
  const [, digits = '', unit = ''] = ratePattern.exec(text) ?? []
  const rate = Number(digits) / (secondsByUnit[unit] ?? 1)
  if (digits === '' || !(rate > 0) || rate > rateMax) {
    throw badUsage(
      `--rate "${text}" is not a rate`,
      'Write rows a second, such as 20/s, or 300/m; "none" removes the limit',
    )
  }
  return rate
}
