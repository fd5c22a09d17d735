// Guesses what a file is from its ending and its first words. A wrong guess is rejected when the file is read.
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import type {ApprovalKind} from './subject.ts'

export type FileKind = Exclude<ApprovalKind, 'settings'>

const structuredEndings = new Set(['.json', '.yaml', '.yml'])

// The first kind whose words occur.
const words: ReadonlyArray<readonly [kind: FileKind, pattern: RegExp]> = [
  ['rules', /\btransactionTemplate\b|^\s*"?(rules|automationRules)"?\s*:/m],
  ['schedules', /^[\s{-]*"?(schedules|cron)"?\s*:/m],
  ['payment', /\bsourcePaymentAccountId\b|\bsourceAmount\b/],
]

export function detectKind(file: string): FileKind {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
  if (!structuredEndings.has(path.extname(file).toLowerCase())) return 'payouts'
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'payouts'
}
