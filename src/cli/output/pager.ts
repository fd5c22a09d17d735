// Shows text in the user's pager, as git and man do.
import {spawn} from 'node:child_process'
import {omitSecretVariables} from '../../values/environment.ts'
import {cleanText} from './clean.ts'
import {writeOut} from './streams.ts'

// less ends at once if the text fits the screen, and leaves the text on the screen.
const lessOptions = 'FRX'
const noPager = new Set(['', 'cat'])

// The shell reads PAGER, because it may contain arguments. Without a usable pager the text is printed.
export async function showInPager(page: string): Promise<void> {
  const text = page.split('\n').map(cleanText).join('\n')
  const {PAGER = 'less', LESS = lessOptions, TERM} = process.env
  if (noPager.has(PAGER.trim()) || TERM === 'dumb') return writeOut(text)
  const isShown = await runPager(PAGER, {...omitSecretVariables(process.env), LESS}, text)
  if (!isShown) await writeOut(text)
}

const notFoundCode = 127

// Ctrl-C belongs to the pager while it runs.
function runPager(command: string, env: NodeJS.ProcessEnv, text: string): Promise<boolean> {
  const listeners = process.rawListeners('SIGINT')
  const ignore = () => {}
  process.removeAllListeners('SIGINT').on('SIGINT', ignore)
  return new Promise<boolean>((resolve) => {
    const pager = spawn(command, {shell: true, stdio: ['pipe', 'inherit', 'ignore'], env})
    pager.on('error', () => resolve(false))
    pager.on('close', (code) => resolve(code !== notFoundCode))
    // The pager may be left before it has read everything.
    pager.stdin.on('error', () => {})
    pager.stdin.end(text)
  }).finally(() => {
    process.off('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener as NodeJS.SignalsListener)
  })
}
