// Writes data as JSON, or as what --jq makes of it.
import {toJson, toJsonLine, toJsonLines} from './formats.ts'
import {getReshaper} from './reshape.ts'
import {writeErrLines, writeOut} from './streams.ts'

async function writeValues(values: readonly unknown[], plain: () => string): Promise<void> {
  const reshaper = getReshaper()
  if (!reshaper) return writePart(plain())
  const {text, failure} = reshaper.reshape(values)
  await writePart(text)
  if (failure) throw failure
}

const writePart = async (part: string) => (part === '' ? undefined : writeOut(part))

export const writeJson = (value: unknown) => writeValues([value], () => toJson(value))

export const writeJsonLine = (value: unknown) => writeValues([value], () => toJsonLine(value))

// A page of a list: one line per item.
export const writeJsonLines = (items: readonly unknown[]) => writeValues(items, () => toJsonLines(items))

// A line of a command that goes on until it is stopped. What cannot be reshaped is reported, and the next one may be fine.
export function renderJsonLine(value: unknown): string {
  const reshaper = getReshaper()
  if (!reshaper) return toJsonLine(value)
  const {text, failure} = reshaper.reshape([value])
  if (failure) writeErrLines([failure.sentence])
  return text
}
