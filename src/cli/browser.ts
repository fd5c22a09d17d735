// Opens a link in the user's browser, and says why if that failed.
import {pathToFileURL} from 'node:url'

// A launcher that has not failed by then has passed the link on, or is the browser itself.
const launchMs = 1500

// Other protocols may start another program, so they are never opened.
const protocols = new Set(['http:', 'https:'])

const hasDisplay = ({DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME}: NodeJS.ProcessEnv) =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME)

// Returns why the link was not opened, as the second half of a sentence, or undefined if it was opened.
export async function openLink(link: string): Promise<string | undefined> {
  const url = URL.parse(link)
  if (!url || !protocols.has(url.protocol)) return 'it is not an http or https address'
  return launchBrowser(url.href)
}

// Opens a page that svc itself wrote to a file.
export const openPageFile = (file: string): Promise<string | undefined> => launchBrowser(pathToFileURL(file).href)

async function launchBrowser(href: string): Promise<string | undefined> {
  if (!hasDisplay(process.env)) return 'there is no display here'
  const {default: open} = await import('open')
  try {
    const launcher = await open(href)
    return await new Promise((resolve) => {
      const timer = setTimeout(resolve, launchMs, undefined)
      launcher.once('close', (code) => {
        clearTimeout(timer)
        resolve(code ? `the browser could not be started (code ${code})` : undefined)
      })
    })
  } catch {
    return 'no program to open it with was found'
  }
}
