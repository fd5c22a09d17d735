// Runs a command for a tool and turns its outcome into an answer for an agent: masked, short, and with what the exit code means.
import type {RunCaptured} from '../cli/capture.ts'
import type {Result} from '../cli/output/result.ts'
import {toSentence, toSvcError} from '../cli/output/show-error.ts'
import {type SvcError, exitCodeMeanings} from '../errors.ts'
import {type MaskSettings, mask, maskText} from './mask.ts'

export interface ToolAnswer extends Record<string, unknown> {
  exitCode: number
  // The kind of an error, or done.
  kind: string
  meaning: string
  data?: unknown
  error?: string
  message?: string
  hint?: string
  notices?: string[]
}

const itemsMax = 50
const noticesMax = 10

const findMeaning = (code: number) => exitCodeMeanings.find((entry) => entry.code === code)?.meaning ?? ''

const unknownAdvice =
  'The outcome is unknown: call the same tool again with the same key. Never use another key for it.'

// A list is cut after so many items; the token of the next page comes from the walk itself.
async function collect(result: Result): Promise<unknown> {
  if (!result) return undefined
  if (result.kind === 'item') return result.value
  const items: unknown[] = []
  let nextPageToken: string | undefined
  for await (const page of result.pages) {
    items.push(...page.items)
    nextPageToken = page.resumeToken
    if (items.length >= itemsMax) break
  }
  const cutCount = Math.max(0, items.length - itemsMax)
  return {
    [result.key]: items.slice(0, itemsMax),
    ...(nextPageToken !== undefined && {nextPageToken}),
    ...(cutCount > 0 && {leftOut: cutCount}),
  }
}

export function describeFailure(failure: SvcError): ToolAnswer {
  const {exitCode, kind, error, sentence, hint, problems} = failure
  return {
    exitCode,
    kind,
    meaning: findMeaning(exitCode),
    error: maskText(error),
    message: maskText(toSentence([sentence, ...(problems ?? [])].join('; '))),
    ...(kind === 'unknownOutcome' ? {hint: unknownAdvice} : hint !== undefined && {hint: maskText(toSentence(hint))}),
  }
}

export type RunTool = (id: string, argv: readonly string[]) => Promise<ToolAnswer>

// One at a time: commands share what a process has once, such as its output settings.
export function createToolRunner(run: RunCaptured, profile: string, settings: MaskSettings): RunTool {
  let last: Promise<unknown> = Promise.resolve()
  const runOne: RunTool = async (id, argv) => {
    // Flags before the mark, if there is one.
    const mark = argv.indexOf('--')
    const [flags, rest] = mark === -1 ? [argv, []] : [argv.slice(0, mark), argv.slice(mark)]
    try {
      const {result, notices} = await run(id, [...flags, `--profile=${profile}`, '--json', '--no-input', ...rest])
      const data = mask(await collect(result), settings)
      const said = notices.slice(0, noticesMax).map(maskText)
      const outcome = result?.failure
        ? describeFailure(result.failure)
        : {exitCode: 0, kind: 'done', meaning: findMeaning(0)}
      return {...outcome, ...(data !== undefined && {data}), ...(said.length > 0 && {notices: said})}
    } catch (error) {
      return describeFailure(toSvcError(error, `svc ${id.replaceAll(':', ' ')}`))
    }
  }
  return (id, argv) => {
    const next = last.then(() => runOne(id, argv))
    last = next
    return next
  }
}
