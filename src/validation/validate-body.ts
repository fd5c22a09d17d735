// Everything that is wrong with a body, found in one go and told in the order of the body.
import type {z} from 'zod'
import {type Problem, findProblems} from '../contract/problems.ts'

const splitPath = (path: string) => path.split(/[.[\]]+/).filter((key) => key !== '')

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value)

// The same value without what stands at these paths. In a list a gap is left, so that the others keep their places.
function omitPaths(value: unknown, paths: ReadonlySet<string>, at = ''): unknown {
  if (!isContainer(value)) return value
  const kept: Record<string, unknown> = Array.isArray(value) ? ([] as never) : {}
  for (const [key, inner] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${at}[${key}]` : at ? `${at}.${key}` : key
    if (!paths.has(here)) kept[key] = omitPaths(inner, paths, here)
  }
  if (Array.isArray(value)) kept['length'] = value.length
  return kept
}

export interface BodyValidation {
  problems: Problem[]
  // What of the body is as the schema has it, so that other checks can rely on its form.
  validPart: unknown
}

const getParentPath = (path: string) => path.replace(/(^|\.)[^.[\]]+$|\[\d+\]$/, '')

// A schema asks about fields that belong together only once each is right by itself. So what is wrong is set aside and the
// rest asked again, until nothing more is found; where something is still missed, the thing that lacks it is set aside too.
export function validateBody(schema: z.ZodType, body: unknown): BodyValidation {
  const problems = new Map<string, Problem>()
  const aside = new Set<string>()
  for (let grew = true; grew;) {
    const before = new Set(aside)
    for (const problem of findProblems(schema, omitPaths(body, before))) {
      const isKnown = before.has(problem.path)
      aside.add(isKnown ? getParentPath(problem.path) : problem.path)
      if (!isKnown && !problems.has(problem.path)) problems.set(problem.path, problem)
    }
    grew = aside.size > before.size
  }
  return {problems: [...problems.values()], validPart: omitPaths(body, new Set(problems.keys()))}
}

function findPositions(path: string, body: unknown): number[] {
  let holder = body
  return splitPath(path).map((key) => {
    const keys = isContainer(holder) ? Object.keys(holder) : []
    const place = keys.indexOf(key)
    holder = isContainer(holder) && place >= 0 ? holder[key] : undefined
    return place === -1 ? Number.POSITIVE_INFINITY : place
  })
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((place, index) => place !== b[index])
  if (at === -1) return a.length - b.length
  return (a[at] ?? 0) < (b[at] ?? -1) ? -1 : 1
}

// As the body is ordered; what is missing comes after what is there.
export const sortByBodyOrder = (body: unknown, problems: readonly Problem[]): Problem[] =>
  problems
    .map((problem) => ({problem, places: findPositions(problem.path, body)}))
    .toSorted((a, b) => comparePositions(a.places, b.places))
    .map(({problem}) => problem)
