// Finds every problem of a body in one pass.
import type {z} from 'zod'
import {type Problem, findProblems} from '../contract/problems.ts'
import {joinPath} from '../contract/shape.ts'
import {isContainer} from './records.ts'

// In a list the omitted items leave a gap, so that the others keep their index.
function omitPaths(value: unknown, paths: ReadonlySet<string>, at = ''): unknown {
  if (!isContainer(value)) return value
  if (Array.isArray(value)) {
    const kept: unknown[] = []
    kept.length = value.length
    for (const [index, inner] of value.entries()) {
      const here = `${at}[${index}]`
      if (!paths.has(here)) kept[index] = omitPaths(inner, paths, here)
    }
    return kept
  }
  const fields = Object.entries(value).map(([key, inner]) => ({key, inner, here: joinPath(at, key)}))
  return Object.fromEntries(
    fields.filter(({here}) => !paths.has(here)).map(({key, inner, here}) => [key, omitPaths(inner, paths, here)]),
  )
}

export interface BodyValidation {
  problems: Problem[]
  // The part of the body that matches the schema, for checks that rely on its types.
  validPart: unknown
}

const getParentPath = (path: string) => path.replace(/(^|\.)[^.[\]]+$|\[\d+\]$/, '')

// zod checks fields that belong together only once each is valid by itself. So this omits what is wrong and validates the
// rest again, until it finds nothing new. If the omitted field is required, its parent is omitted as well.
export function validateBody(schema: z.ZodType, body: unknown): BodyValidation {
  const problems = new Map<string, Problem>()
  const omitted = new Set<string>()
  for (let grew = true; grew;) {
    const before = new Set(omitted)
    for (const problem of findProblems(schema, omitPaths(body, before))) {
      const isKnown = before.has(problem.path)
      omitted.add(isKnown ? getParentPath(problem.path) : problem.path)
      if (!isKnown && !problems.has(problem.path)) problems.set(problem.path, problem)
    }
    grew = omitted.size > before.size
  }
  return {problems: [...problems.values()], validPart: omitPaths(body, new Set(problems.keys()))}
}
