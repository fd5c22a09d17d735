// Drafts: what was entered so far, in a file that only its owner reads, and that `-f` takes as well.
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import type {Body} from '../body/assignments.ts'
import {toYaml} from '../output/formats.ts'
import {askLine, askYesNo} from './prompts.ts'
import {printText} from './print.ts'

export interface Drafts {
  // Asks where to, if nobody has said so yet.
  save(body: Body): Promise<void>
  // On leaving, what was entered is kept if a file was named for it.
  saveOnExit(body: Body): Promise<void>
  // When it could not be sent: kept as well, and where no file was named it is asked for.
  offerToSave(body: Body): Promise<void>
  // The file that holds what was entered, if there is one.
  getSavedFile(): string | undefined
}

const ownerOnly = 0o600

// Written beside and put in place, so that a crash leaves the earlier draft or this one.
function writeDraft(file: string, text: string): void {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  try {
    fs.writeFileSync(beside, text, {mode: ownerOnly, flag: 'wx'})
    fs.renameSync(beside, file)
  } catch (cause) {
    fs.rmSync(beside, {force: true})
    throw badUsage(
      `The draft cannot be written to ${file} (${getSystemCode(cause) ?? 'unknown'})`,
      'Name another file',
      cause,
    )
  }
}

// Said before the first question, and not after the last.
export function checkDraftFile(file: string | undefined, resumed: string | undefined): void {
  if (file === undefined || (resumed !== undefined && path.resolve(file) === path.resolve(resumed))) return
  if (fs.existsSync(file)) {
    throw badUsage(`There is a file ${file} already`, 'Name another, or go on with it by --resume')
  }
  try {
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (cause) {
    throw badUsage(
      `The draft cannot be written to ${file} (${getSystemCode(cause) ?? 'unknown'})`,
      'Name another file',
      cause,
    )
  }
}

const buildHeading = (command: string, flag: string) =>
  `# A draft of \`svc ${command}\`${flag === '--resume' ? ', with personal data in it' : ''}. Go on with: svc ${command} ${flag} FILE\n`

// `flag` is what takes the draft up again.
export function openDrafts(file: string | undefined, command: string, flag = '--resume'): Drafts {
  let named = file
  const isEmpty = (body: Body) => Object.keys(body).length === 0
  const put = async (body: Body, to: string) => {
    writeDraft(to, buildHeading(command, flag) + (await toYaml(body)))
    named = to
    printText(`Saved to ${to}; go on later with ${flag} ${to}`)
  }
  const save = async (body: Body) => {
    if (isEmpty(body)) return printText('There is nothing to save yet.')
    const to = named ?? (await askDraftFile())
    if (to === undefined) return
    try {
      await put(body, to)
    } catch (error) {
      // A full disk or a folder that is gone is no reason to lose what was entered.
      if (!(error instanceof SvcError)) throw error
      printText(`${error.message}. It is not saved: press Ctrl-S to name another file.`)
      named = undefined
    }
  }
  return {
    save,
    async saveOnExit(body) {
      if (named !== undefined) await save(body)
    },
    async offerToSave(body) {
      if (named !== undefined || (await askYesNo('Keep what was entered as a draft?', true))) await save(body)
    },
    getSavedFile: () => (named !== undefined && fs.existsSync(named) ? named : undefined),
  }
}

async function askDraftFile(): Promise<string | undefined> {
  const file = await askLine({
    message: 'Save as:',
    initial: 'draft.yaml',
    check: (text) => (text ? undefined : 'It is needed'),
  })
  if (!fs.existsSync(file) || (await askYesNo(`There is a file ${file} already. Replace it?`))) return file
  return undefined
}

// For what is too short to be worth a draft.
export const noDrafts: Drafts = {
  save: async () => printText('There is nothing to save here.'),
  saveOnExit: async () => {},
  offerToSave: async () => {},
  getSavedFile: () => undefined,
}
