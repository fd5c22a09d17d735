// Another user of the machine: a process of its own that reads the process list and the files that it names, knows
// the port of a server, and gives a yes wherever it can. It prints what it got.
import fs from 'node:fs'

const limitMs = 2_000

interface Loot {
  // What it could open, and a part of what it saw there.
  opened: Array<{address: string; text: string}>
  files: string[]
  // Where its yes was taken.
  answered: string[]
}

const readIfAllowed = (file: string): string => {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const listIfAllowed = (folder: string): string[] => {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

const readProcessList = () =>
  listIfAllowed('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readIfAllowed(`/proc/${pid}/cmdline`).replaceAll('\0', '\n'))
    .join('\n')

const loot: Loot = {opened: [], files: [], answered: []}

const send = (address: string, init: RequestInit = {}) =>
  fetch(address, {redirect: 'manual', signal: AbortSignal.timeout(limitMs), ...init})

// What the answer to a request lets in, as a browser would use it.
async function tryAddress(address: string): Promise<void> {
  try {
    const response = await send(address, {headers: {accept: 'text/html'}})
    const text = await response.text()
    const {origin} = new URL(address)
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0]
    if (cookie !== undefined || (response.status === 200 && text.includes('<main'))) loot.opened.push({address, text})
    const proof = /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? 'guessed'
    const body = new URLSearchParams({proof, answer: 'yes'})
    const answer = await send(address, {method: 'POST', body, headers: {origin, ...(cookie && {cookie})}})
    if (answer.status === 200) loot.answered.push(address)
  } catch {
    // It is no server of pages.
  }
}

// Only the server of the test is tried: others on this machine belong to somebody else.
const [port = '', folder = '', user = ''] = process.argv.slice(-3)
const server = `http://127.0.0.1:${port}`
const guesses = ['/', '/enter/', '/console/', '/console/customers', '/console/clock', '/?token=', '/yes', '/index.html']

const processList = readProcessList()
const named = [...processList.matchAll(/file:\/\/(\S+)/g)].map(([, file = '']) => file)
const found = listIfAllowed(folder).flatMap((name) =>
  listIfAllowed(`${folder}/${name}`).map((file) => `${folder}/${name}/${file}`),
)
// Where the test could not start it as another user, it does not read what only that user must not.
const readable = user === 'other' ? [...named, ...found] : []
const texts = readable.map((file) => ({file, text: readIfAllowed(file)})).filter(({text}) => text !== '')
loot.files.push(...texts.map(({file}) => file))
const links = [processList, ...texts.map(({text}) => text)].flatMap(
  (text) => text.match(/https?:\/\/[^\s"'<>]+/g) ?? [],
)
const own = links.filter((link) => link.startsWith(`${server}/`))
for (const address of new Set([...own, ...guesses.map((guess) => server + guess)])) await tryAddress(address)
// Of the list only what is about the test: the rest belongs to others.
const isOwn = (line: string) => line.includes(folder) || line.includes(server)
process.stdout.write(JSON.stringify({...loot, processList: processList.split('\n').filter(isOwn)}))
