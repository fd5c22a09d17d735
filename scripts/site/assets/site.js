// The search, the switch for light and dark, and the buttons that copy code. Pages can be read without any of it.
const root = document.documentElement
const up = root.dataset.up ?? ''

const themeButton = document.querySelector('#theme')
const isDark = () =>
  root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
themeButton.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark'
  try {
    localStorage.setItem('theme', root.dataset.theme)
  } catch {
    // The choice is then only that of this page.
  }
})

// The list of pages may be longer than the screen.
document.querySelector('.pages [aria-current]')?.scrollIntoView({block: 'nearest'})

for (const frame of document.querySelectorAll('.code')) {
  const block = frame.querySelector('pre')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  const copy = async () => {
    // Of a recorded session, only what was typed.
    const typed = [...block.querySelectorAll('b')].map((line) => line.textContent)
    const text = typed.length > 0 ? typed.join('\n') : block.querySelector('code').textContent
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not copied'
    }
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  }
  button.addEventListener('click', () => void copy())
  frame.append(button)
}

const input = document.querySelector('#search')
const results = document.querySelector('#results')
const found = document.querySelector('#found')
const resultsMax = 12
const resultsOfPageMax = 3
const excerptLength = 140

const toPlain = (text) => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')

let loading
// The index is a script, since a page that is opened from a disk may not read other files.
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${up}search-index.js`
    script.addEventListener('load', () =>
      resolve(
        window.searchIndex.map(([address, kind, title, heading, text]) => {
          const plain = {title: toPlain(title), heading: toPlain(heading), text: toPlain(text)}
          return {address, kind, title, heading, text, plain}
        }),
      ),
    )
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  return loading
}

const kindWeights = {Task: 3, Command: 3, Guide: 2, Flag: 1, Decision: -3, Changes: -3}

const letter = /[\p{L}\p{N}]/u

function startsWord(text, word) {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (at === 0 || !letter.test(text[at - 1])) return true
  return false
}

// The beginning of a word counts twice as much as the middle of one.
const rateWord = (text, word, weight) => (startsWord(text, word) ? 2 * weight : text.includes(word) ? weight : 0)

// The whole of what is searched for, as a name or at the beginning of one.
const rateWhole = (name, whole, weight) => (name === whole ? 3 * weight : name.startsWith(whole) ? weight : 0)

// Every word must occur. A word in a title counts most, then one in a heading or a flag, then one in the text.
function rate({kind, heading, plain}, words) {
  let sum = 0
  for (const word of words) {
    const score = rateWord(plain.title, word, 5) + rateWord(plain.heading, word, 4) + rateWord(plain.text, word, 1)
    if (score === 0) return 0
    sum += score
  }
  const whole = words.join(' ')
  const bonus =
    heading === ''
      ? Math.max(rateWhole(plain.title, whole, 14), rateWhole(plain.title, `svc ${whole}`, 14)) + 2
      : Math.max(rateWhole(plain.heading, whole, 10), rateWhole(plain.heading, `--${whole}`, 10))
  return Math.max(1, sum + bonus + kindWeights[kind])
}

function findBest(index, words) {
  const counts = new Map()
  const takesPart = ({entry: {title}}) => {
    counts.set(title, (counts.get(title) ?? 0) + 1)
    return counts.get(title) <= resultsOfPageMax
  }
  return index
    .map((entry) => ({entry, score: rate(entry, words)}))
    .filter(({score}) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .filter(takesPart)
    .slice(0, resultsMax)
    .map(({entry}) => entry)
}

function cutExcerpt(text, words) {
  const places = words.map((word) => toPlain(text).indexOf(word)).filter((index) => index >= 0)
  const at = places.length > 0 ? Math.min(...places) : 0
  // From the beginning, which says what it is about, or from the start of a word.
  const start = at > excerptLength / 2 ? text.indexOf(' ', at - 40) + 1 : 0
  return `${start > 0 ? '…' : ''}${text.slice(start, start + excerptLength)}${text.length > start + excerptLength ? '…' : ''}`
}

// The words that are searched for stand out.
function markWords(element, text, words) {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`(${escaped.join('|')})`, 'giu')
  for (const [index, part] of text.split(pattern).entries()) {
    if (index % 2 === 0) element.append(part)
    else element.append(Object.assign(document.createElement('mark'), {textContent: part}))
  }
  return element
}

function showResult({address, kind, title, heading, text}, words, index) {
  const link = Object.assign(document.createElement('a'), {href: up + address, id: `result-${index}`, tabIndex: -1})
  link.setAttribute('role', 'option')
  link.setAttribute('aria-selected', 'false')
  const label = Object.assign(document.createElement('small'), {textContent: kind})
  const name = Object.assign(document.createElement('strong'), {
    textContent: heading === '' ? title : `${title}: ${heading}`,
  })
  link.append(label, name, markWords(document.createElement('span'), cutExcerpt(text, words), words))
  return link
}

const listOptions = () => [...results.querySelectorAll('[role=option]')]
const findSelected = () => results.querySelector('[aria-selected=true]')

function select(option) {
  findSelected()?.setAttribute('aria-selected', 'false')
  option?.setAttribute('aria-selected', 'true')
  option?.scrollIntoView({block: 'nearest'})
  if (option) input.setAttribute('aria-activedescendant', option.id)
  else input.removeAttribute('aria-activedescendant')
}

function show(isShown) {
  results.hidden = !isShown
  input.setAttribute('aria-expanded', String(isShown))
  if (!isShown) select(undefined)
}

async function search() {
  const asked = input.value
  const words = toPlain(asked).split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    found.textContent = ''
    return show(false)
  }
  let index
  try {
    index = await loadIndex()
  } catch {
    found.textContent = 'The search could not be loaded'
    return show(false)
  }
  // More may have been typed while the index was loaded.
  if (asked !== input.value) return
  const best = findBest(index, words)
  results.replaceChildren(...best.map((entry, at) => showResult(entry, words, at)))
  select(undefined)
  found.textContent =
    best.length === 0
      ? 'Nothing was found'
      : `${best.length === 1 ? '1 result' : `${best.length} results`}, arrow keys choose`
  // A list without options would be announced as an error.
  found.classList.toggle('unseen', best.length > 0)
  show(best.length > 0)
}

input.addEventListener('focus', () => void loadIndex().catch(() => {}))
input.addEventListener('input', () => void search())

function selectNext(step) {
  const options = listOptions()
  const at = options.indexOf(findSelected())
  select(options[at === -1 && step < 0 ? options.length - 1 : (at + step + options.length) % options.length])
}

input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    show(false)
    input.blur()
  } else if (results.hidden) return
  else if (event.key === 'ArrowDown') selectNext(1)
  else if (event.key === 'ArrowUp') selectNext(-1)
  else if (event.key === 'Enter') (findSelected() ?? listOptions()[0])?.click()
  else return
  event.preventDefault()
})

addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
})

// A result on the same page only moves the page.
addEventListener('click', (event) => {
  if (!event.target.closest('.search') || event.target.closest('[role=option]')) show(false)
})
input.addEventListener('blur', (event) => {
  if (!results.contains(event.relatedTarget)) show(false)
})
