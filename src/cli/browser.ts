// Opens a link in the browser of whoever sits at this machine, and says whether that went well.

// A launcher that has not failed by then has handed the link on, or has become the browser itself.
const launchMs = 1500

// Only these are ever handed to the system: anything else may start another program.
const protocols = new Set(['http:', 'https:'])

const hasDisplay = ({DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME}: NodeJS.ProcessEnv) =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(DISPLAY ?? WAYLAND_DISPLAY ?? WSL_DISTRO_NAME)

// Why the link was not opened, as the second half of a sentence; undefined if it was.
export async function openLink(link: string): Promise<string | undefined> {
  const url = URL.parse(link)
  if (!url || !protocols.has(url.protocol)) return 'it is not an http or https address'
  if (!hasDisplay(process.env)) return 'there is no display here'
  const {default: open} = await import('open')
  try {
    const launcher = await open(url.href)
    return await new Promise((resolve) => {
      const patience = setTimeout(resolve, launchMs, undefined)
      launcher.once('close', (code) => {
        clearTimeout(patience)
        resolve(code ? `the browser could not be started (code ${code})` : undefined)
      })
    })
  } catch {
    return 'no program to open it with was found'
  }
}
