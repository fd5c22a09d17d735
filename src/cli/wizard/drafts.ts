// Drafts: the answers so far, in a file that only its owner can read and that `-f` accepts.
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {rejectOwnFile} from '../../storage/write-whole-file.ts'
import {checkReplaceable} from '../../storage/private-file.ts'
import {quoteForShell} from '../../values/text.ts'
import type {Body} from '../../values/body-paths.ts'
import {toYaml} from '../output/formats.ts'
import {askLine, askYesNo, requiredMessage} from './prompts.ts'
import {printText} from './print.ts'

export interface Drafts {
  // Saves the answers; asks for a file if none was named.
  save(body: Body): Promise<void>
  // Saves the answers on quitting, if a file was named. A file that existed before is left alone if nothing was answered.
  saveOnExit(body: Body, options?: {hasAnswers: boolean}): Promise<void>
  // Saves the answers after a failure to send them; asks first if no file was named.
  offerToSave(body: Body): Promise<void>
  // The file with the answers, if it exists.
  getSavedFile(): string | undefined
}

const ownerOnly = 0o600

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(
    `The draft cannot be written to ${file} (${getSystemCode(cause) ?? 'unknown'})`,
    'Choose another file',
    cause,
  )

// Writes a temporary file and renames it, so that a crash never leaves half a draft.
function writeDraft(file: string, text: string): void {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  rejectOwnFile(file)
  try {
    checkReplaceable(file)
    fs.writeFileSync(temporary, text, {mode: ownerOnly, flag: 'wx'})
    fs.renameSync(temporary, file)
  } catch (cause) {
    fs.rmSync(temporary, {force: true})
    throw cannotWrite(file, cause)
  }
}

// Rejects an unusable draft file before the first question is asked.
export function checkDraftFile(file: string | undefined, resumed: string | undefined): void {
  if (file === undefined || (resumed !== undefined && path.resolve(file) === path.resolve(resumed))) return
  if (fs.existsSync(file)) {
    throw badUsage(`${file} already exists`, 'Choose another file, or continue that draft with --resume')
  }
  try {
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
}

const buildHeading = (command: string, flag: string) => {
  const content = flag === '--resume' ? ' with personal data' : ''
  return `# Draft of \`svc ${command}\`${content}. Continue with: svc ${command} ${flag} FILE\n`
}

// Whether somebody wrote it in JSON or with comments, which a draft that is written as a whole would lose. The heading of a draft
// is no such comment.
function isHandwritten(file: string): boolean {
  if (!fs.existsSync(file)) return false
  const text = fs.readFileSync(file, 'utf8').replace(/^# Draft of `svc .*\n/, '')
  return /(^|\s)#/.test(text) || text.trimStart().startsWith('{')
}

const protectedReason = 'since svc cannot write the answers into it and keep the rest'

const describeContinuation = (command: string, flag: string, file: string) =>
  `Continue later with \`svc ${command} ${flag} ${quoteForShell(file)}\`.`

// `flag` is the flag of the command that reads the draft.
export function openDrafts(file: string | undefined, command: string, flag = '--resume'): Drafts {
  let draftFile = file
  // What was said once is not said again when the wizard ends.
  let announcedFile: string | undefined
  const hasExisted = file !== undefined && fs.existsSync(file)
  const isProtected = () => hasExisted && draftFile === file && isHandwritten(file)
  const isJson = (target: string) => fs.readFileSync(target, 'utf8').trimStart().startsWith('{')
  // The answers in the file that somebody has written, with its comments. Undefined if it cannot hold them.
  const merge = async (target: string, body: Body) => {
    if (isJson(target)) return undefined
    const {mergeDraft} = await import('./merge-draft.ts')
    return mergeDraft(fs.readFileSync(target, 'utf8'), body)
  }
  const isEmpty = (body: Body) => Object.keys(body).length === 0
  const saveTo = async (target: string, body: Body, merged?: string) => {
    writeDraft(target, merged ?? buildHeading(command, flag) + (await toYaml(body)))
    draftFile = target
    const kept = merged === undefined ? '' : ', with its comments'
    const next = describeContinuation(command, flag, target)
    if (target !== announcedFile) printText(`Saved to ${target}${kept}. ${next}`)
    announcedFile = target
  }
  const save = async (body: Body) => {
    if (isEmpty(body)) return printText('There is nothing to save yet.')
    const merged = isProtected() && draftFile !== undefined ? await merge(draftFile, body) : undefined
    if (isProtected() && merged === undefined) {
      printText(`${draftFile} is left as it is, ${protectedReason}: choose another file.`)
      draftFile = undefined
    }
    const target = draftFile ?? (await askDraftFile())
    if (target === undefined) return
    try {
      await saveTo(target, body, merged)
    } catch (error) {
      // The wizard continues, so that a full disk or a missing folder does not lose the answers.
      if (!(error instanceof SvcError)) throw error
      printText(`${error.message}. Nothing was saved: press Ctrl-S to choose another file.`)
      draftFile = undefined
    }
  }
  return {
    save,
    async saveOnExit(body, {hasAnswers} = {hasAnswers: true}) {
      if (draftFile === undefined || (hasExisted && !hasAnswers)) return
      if (isProtected() && (await merge(draftFile, body)) === undefined) {
        printText(`${draftFile} is left as it is, ${protectedReason}.`)
      } else await save(body)
    },
    async offerToSave(body) {
      if (draftFile !== undefined || (await askYesNo('Save your answers as a draft?', true))) await save(body)
    },
    getSavedFile: () => (draftFile !== undefined && fs.existsSync(draftFile) ? draftFile : undefined),
  }
}

async function askDraftFile(): Promise<string | undefined> {
  const file = await askLine({
    message: 'Save as:',
    initial: 'draft.yaml',
    check: (text) => (text ? undefined : requiredMessage),
  })
  if (!fs.existsSync(file) || (await askYesNo(`${file} already exists. Replace it?`))) return file
  return undefined
}
