// Opens the database of a sandbox that a program imports. Filling one with the demo data takes longer than everything else, so the
// first one of each kind is kept as a template for the others of this process.
import fs from 'node:fs'
import {openSeededDatabase} from '../sandbox/sandbox.ts'
import {type Database, openDatabase} from '../sandbox/store/database.ts'
import {renewSeed, writeSettings} from '../sandbox/store/settings.ts'
import {loadImage, readImage} from '../sandbox/store/snapshots.ts'
import {inMemory} from '../storage/sqlite.ts'
import {badUsage} from '../errors.ts'
import type {SandboxOptions} from './sandbox-types.ts'

// A program that gives every sandbox another time must not keep them all.
const templatesMax = 8
const templates = new Map<string, Uint8Array>()

function parseInstant(now: Date | string): Date {
  const date = new Date(now)
  if (Number.isNaN(date.getTime())) throw badUsage('now is not a point in time', 'Give a Date or an ISO 8601 text')
  return date
}

export function openSandboxDatabase({file = inMemory, seed, now, snapshot}: SandboxOptions): Database {
  const frozenAt = now === undefined ? undefined : parseInstant(now)
  if (snapshot && (seed !== undefined || frozenAt))
    throw badUsage('A snapshot has its own seed and its own time', 'Leave out seed and now')
  if (snapshot) return openFromImage(file, snapshot)
  if (file !== inMemory) return openSeededDatabase({file, seed, frozenAt})
  const kind = JSON.stringify([seed, frozenAt])
  const template = templates.get(kind)
  if (!template) {
    const first = openSeededDatabase({file, seed, frozenAt})
    if (templates.size < templatesMax) templates.set(kind, readImage(first))
    return first
  }
  const database = openFromImage(file, template)
  if (seed === undefined) renewSeed(database)
  return database
}

function openFromImage(file: string, image: Uint8Array): Database {
  if (fs.existsSync(file))
    throw badUsage(`${file} is a sandbox already, and a snapshot would replace it`, 'Name another file, or use restore')
  // No demo data: everything is replaced at once.
  const database = openDatabase(file, (fresh) => writeSettings(fresh, {}))
  try {
    loadImage(database, image)
    return database
  } catch (error) {
    database.close()
    fs.rmSync(file, {force: true})
    throw error
  }
}
