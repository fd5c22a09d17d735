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

// On a wide screen the list of pages is always open.
const menu = document.querySelector('#menu')
const wide = matchMedia('(min-width: 60rem)')
const fitMenu = () => (menu.open = wide.matches)
wide.addEventListener('change', fitMenu)
fitMenu()
menu.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'})

for (const block of document.querySelectorAll('main pre')) {
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
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}

const input = document.querySelector('#search')
const results = document.querySelector('#results')
const found = document.querySelector('#found')
const resultsMax = 12
const excerptLength = 140

let loading
// The index is a script, since a page that is opened from a disk may not read other files.
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${up}search-index.js`
    script.addEventListener('load', () => resolve(window.searchIndex))
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  return loading
}

const toPlain = (text) => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')

// Every word must occur. A word in a title counts most, then one in a heading, then one in the text.
function rate([, title, heading, text], words) {
  let sum = 0
  for (const word of words) {
    const inTitle = toPlain(title).includes(word)
    const inHeading = toPlain(heading).includes(word)
    const inText = toPlain(text).includes(word)
    if (!inTitle && !inHeading && !inText) return 0
    sum += (inTitle ? 6 : 0) + (inHeading ? 4 : 0) + (inText ? 1 : 0)
  }
  const whole = words.join(' ')
  if (toPlain(title) === whole || toPlain(title) === `svc ${whole}`) sum += 10
  return heading === '' ? sum + 1 : sum
}

function cutExcerpt(text, words) {
  const at = Math.max(0, Math.min(...words.map((word) => toPlain(text).indexOf(word)).filter((index) => index >= 0)))
  // From the start of a word.
  const start = Number.isFinite(at) && at > 40 ? text.indexOf(' ', at - 40) + 1 : 0
  return `${start > 0 ? '…' : ''}${text.slice(start, start + excerptLength)}${text.length > start + excerptLength ? '…' : ''}`
}

function showResult([address, title, heading, text], words) {
  const link = document.createElement('a')
  link.href = up + address
  const name = document.createElement('strong')
  name.textContent = heading === '' ? title : `${title}: ${heading}`
  const excerpt = document.createElement('span')
  excerpt.textContent = cutExcerpt(text, words)
  link.append(name, excerpt)
  return link
}

async function search() {
  const words = toPlain(input.value).split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    results.hidden = true
    found.textContent = ''
    return
  }
  const index = await loadIndex()
  const best = index
    .map((entry) => ({entry, score: rate(entry, words)}))
    .filter(({score}) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, resultsMax)
  results.replaceChildren(...best.map(({entry}) => showResult(entry, words)))
  if (best.length === 0) results.textContent = 'Nothing was found.'
  found.textContent = best.length === 0 ? 'Nothing was found' : `${best.length} results`
  results.hidden = false
}

input.addEventListener('focus', () => void loadIndex())
input.addEventListener('input', () => void search())

const moveFocus = (step) => {
  const links = [input, ...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (at === -1) return false
  links[(at + step + links.length) % links.length].focus()
  return true
}

addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    input.focus()
  } else if (event.key === 'Escape') {
    results.hidden = true
    input.blur()
  } else if ((event.key === 'ArrowDown' && moveFocus(1)) || (event.key === 'ArrowUp' && moveFocus(-1))) {
    event.preventDefault()
  } else if (event.key === 'Enter' && document.activeElement === input) {
    results.querySelector('a')?.click()
  }
})

addEventListener('click', (event) => {
  if (!event.target.closest('.search')) results.hidden = true
})
