// Writes the manual pages into a folder, as `man -M` and packages expect them.
import fs from 'node:fs'
import path from 'node:path'
import {type ManualSource, renderManual} from './render-man.ts'

const millisecondsPerSecond = 1000

// The date of a reproducible build. Pages have no other, so that two builds of the same sources are the same.
function readBuildDate({SOURCE_DATE_EPOCH: seconds}: NodeJS.ProcessEnv): string | undefined {
  if (!seconds || !/^\d+$/.test(seconds)) return undefined
  return new Date(Number(seconds) * millisecondsPerSecond).toISOString().slice(0, 10)
}

export function writeManual(folder: string, source: Omit<ManualSource, 'date'>): number {
  const section = path.join(folder, 'man1')
  fs.rmSync(section, {recursive: true, force: true})
  fs.mkdirSync(section, {recursive: true})
  const pages = renderManual({...source, date: readBuildDate(process.env)})
  for (const [name, text] of pages) fs.writeFileSync(path.join(section, name), text)
  return pages.size
}
