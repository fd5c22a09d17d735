// Reads the flags that say how output looks: the format, the columns and --jq.
import {badUsage} from '../../errors.ts'
import {type Format, chooseColumns} from './print.ts'
import {setReshape} from './formats.ts'
import type {View} from './view.ts'

interface OutputFlags {
  json?: boolean | undefined
  output?: Format | undefined
  columns?: string | undefined
  jq?: string | undefined
}

export function chooseFormat({json, output, jq}: OutputFlags): Format {
  if (jq !== undefined) return output === 'jsonl' ? 'jsonl' : 'json'
  return json ? 'json' : (output ?? 'table')
}

// Whether somebody said how the output is to look, in flags or variables. Then --quiet does not silence it.
export const isOutputAsked = ({json, output, columns, jq}: OutputFlags): boolean =>
  json === true || [output, columns, jq].some((flag) => flag !== undefined)

export const splitColumns = ({columns}: OutputFlags) => columns?.split(',').map((name) => name.trim())

interface OutputContext {
  isFormatTyped: boolean
  view: View<unknown> | undefined
  notice: (text: string) => void
}

// Rejects what is wrong before anything is sent, and loads jq if it is used.
export async function prepareOutput(flags: OutputFlags, {isFormatTyped, view, notice}: OutputContext): Promise<void> {
  const {columns, jq, json, output = 'json'} = flags
  const format = chooseFormat(flags)
  if (jq === undefined && json && output !== 'json') {
    throw badUsage(
      `Two output formats are set: json by --json or SVC_JSON, and ${output} by --output or SVC_OUTPUT`,
      'Use one of them; nothing was sent',
    )
  }
  // jq reads JSON and writes its own output, so it cannot be combined with another format.
  if (jq !== undefined && isFormatTyped && output !== format) {
    throw badUsage(
      `--jq makes its own output, so --output ${output} has no meaning`,
      'Leave out one of them, or use -o jsonl to apply it to each item; nothing was sent',
    )
  }
  if (columns !== undefined && format !== 'table' && format !== 'csv')
    notice(`--columns is for tables and CSV, so it changes nothing in ${format}: choose fields with --jq.`)
  setReshape(jq === undefined ? undefined : await (await import('./jq.ts')).createReshape(jq, notice))
  if (view) chooseColumns(view, splitColumns(flags), format === 'csv', '; nothing was sent')
}
