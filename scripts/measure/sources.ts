// Counts what the source text alone shows: lines, files, long functions, functions that are written twice, and casts.
import fs from 'node:fs'
import path from 'node:path'
import {type ESTree, Visitor, parseSync} from 'rolldown/utils'
import {root} from '../surface.ts'

const shortFileLines = 20
const longFunctionLines = 70
// A shorter body is an idiom, and a longer one is no small function.
const duplicateCharactersMin = 25
const duplicateLinesMax = 10

interface SourceFunction {
  file: string
  line: number
  lines: number
  // Without its name and parameters, with every run of whitespace as one space.
  body: string
  // A callback or a method that is written twice is often an idiom, and cannot always be shared.
  isNamed: boolean
}

interface Casts {
  // Both halves of `x as unknown as T` are in `all` too, and so is `as never`. `as const` is no cast.
  all: number
  throughUnknown: number
  toNever: number
}

export interface SourceFigures {
  lines: number
  files: number
  fullestFolder: {folder: string; files: number}
  shortFiles: readonly string[]
  longest: SourceFunction | undefined
  longFunctions: readonly SourceFunction[]
  // The bodies that stand in several files, each with its places.
  duplicates: ReadonlyArray<readonly SourceFunction[]>
  casts: Casts
}

const countLines = (text: string) => text.split('\n').length
const joinSpace = (text: string) => text.replaceAll(/\s+/g, ' ')

const isConst = ({typeAnnotation: type}: ESTree.TSAsExpression) =>
  type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const'

const isThroughUnknown = ({expression}: ESTree.TSAsExpression) =>
  expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword'

interface Found {
  functions: SourceFunction[]
  casts: Casts
}

function readSource(file: string, text: string, {functions, casts}: Found): void {
  const {program, errors} = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`)
  const values = new Set<ESTree.Node>()
  const addFunction = (node: ESTree.Function | ESTree.ArrowFunctionExpression) => {
    // An overload has no body.
    if (!node.body) return
    functions.push({
      file,
      line: countLines(text.slice(0, node.start)),
      lines: countLines(text.slice(node.start, node.end)),
      body: joinSpace(text.slice(node.body.start, node.body.end)),
      isNamed: node.type === 'FunctionDeclaration' || values.has(node),
    })
  }
  new Visitor({
    VariableDeclarator: ({init}) => void (init && values.add(init)),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    TSAsExpression: (node) => {
      if (isConst(node)) return
      casts.all += 1
      if (isThroughUnknown(node)) casts.throughUnknown += 1
      if (node.typeAnnotation.type === 'TSNeverKeyword') casts.toNever += 1
    },
  }).visit(program)
}

function findDuplicates(functions: readonly SourceFunction[]): SourceFunction[][] {
  const small = functions.filter(
    ({body, lines, isNamed}) => isNamed && body.length >= duplicateCharactersMin && lines <= duplicateLinesMax,
  )
  return [...Map.groupBy(small, ({body}) => body).values()]
    .filter((places) => new Set(places.map(({file}) => file)).size > 1)
    .toSorted((a, b) => b.length - a.length)
}

export function measureSources(): SourceFigures {
  const files = fs
    .globSync('src/**/*.ts', {cwd: root})
    .map((file) => file.split(path.sep).join('/'))
    .toSorted()
  const texts = new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))
  const found: Found = {functions: [], casts: {all: 0, throughUnknown: 0, toNever: 0}}
  for (const [file, text] of texts) readSource(file, text, found)
  const byLength = found.functions.toSorted((a, b) => b.lines - a.lines)
  // A file ends with a line break, which begins no line.
  const lines = new Map([...texts].map(([file, text]) => [file, countLines(text) - 1]))
  const [[folder, inFolder] = ['', []]] = Map.groupBy(files, (file) => path.posix.dirname(file))
    .entries()
    .toArray()
    .toSorted(([, a], [, b]) => b.length - a.length)
  return {
    lines: lines.values().reduce((sum, each) => sum + each, 0),
    files: files.length,
    fullestFolder: {folder, files: inFolder.length},
    shortFiles: files.filter((file) => (lines.get(file) ?? 0) < shortFileLines),
    longest: byLength[0],
    longFunctions: byLength.filter((each) => each.lines > longFunctionLines),
    duplicates: findDuplicates(found.functions),
    casts: found.casts,
  }
}
