// Reads a payout file: finds it, decodes it, and detects its format.
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {readStdin} from '../../cli/output/streams.ts'
import {parseCsv} from './csv-records.ts'
import {parseJsonLines, parseYaml} from './structured-records.ts'
import type {Records} from './records.ts'
import {lookUp} from '../../values/records.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'

type Format = 'csv' | 'jsonl' | 'yaml'

const formatsByEnding: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'yaml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

const readers: Readonly<Record<Format, (text: string) => Records | Promise<Records>>> = {
  csv: parseCsv,
  jsonl: parseJsonLines,
  yaml: parseYaml,
}

// Without a known extension, as for standard input, the beginning of the text decides. A list in JSON is valid YAML.
export function detectFormat(file: string, text: string): Format {
  const byEnding = lookUp(formatsByEnding, path.extname(file).toLowerCase())
  if (byEnding) return byEnding
  const begin = text.trimStart()
  if (/^\{[^\n]*\}[ \t\r]*(\n|$)/.test(begin)) return 'jsonl'
  return /^([[{]|- |-\n|---|payouts:|#)/.test(begin) ? 'yaml' : 'csv'
}

const byteOrderMark = /^\uFEFF/
const utf16Marks = new Set(['fffe', 'feff'])

function decodeUtf8(bytes: Buffer, name: string): string {
  const hint = 'Save it as CSV in UTF-8; nothing was sent'
  if (utf16Marks.has(bytes.subarray(0, 2).toString('hex'))) throw badUsage(`${name} is in UTF-16`, hint)
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (cause) {
    throw badUsage(`${name} is not in UTF-8`, hint, cause)
  }
}

function readBytes(file: string): Buffer {
  try {
    return readRegularFile(file)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
}

export const getDisplayName = (file: string) => (file === '-' ? 'standard input' : file)

export async function readRecords(file: string): Promise<Records> {
  const text =
    file === '-' ? (await readStdin()).replace(byteOrderMark, '') : decodeUtf8(readBytes(file), `The file ${file}`)
  return readers[detectFormat(file, text)](text)
}
