// Finds what keeps people from using a page, with axe-core in the browser.
import fs from 'node:fs'
import {createRequire} from 'node:module'
import type {Page} from 'playwright-core'

interface Found {
  id: string
  impact: string
  nodes: {html: string; failureSummary: string}[]
}

// The short form of the program, because every page that is checked has to read all of it.
const require = createRequire(import.meta.url)
const axeFile = require.resolve('axe-core/axe.min.js')
let axeSource: string | undefined
const readAxe = () => (axeSource ??= fs.readFileSync(axeFile, 'utf8'))

// Removes the unselected options during the check, because hundreds of countries in every select make it slow. A page that is
// opened from a disk cannot read its style sheet as text. A selector for each element that was examined would take as long as the
// check, and what is found is reported with its HTML.
const runCheck = `(async () => {
  const lists = [...document.querySelectorAll('select')].map((list) => [list, [...list.options], list.value])
  for (const [list, options, value] of lists) list.replaceChildren(...options.filter((each) => each.value === value))
  const {violations} = await axe.run({
    resultTypes: ['violations'],
    selectors: false,
    preload: location.protocol !== 'file:',
  })
  for (const [list, options, value] of lists) {
    list.replaceChildren(...options)
    list.value = value
  }
  return violations
})()`

async function check(page: Page): Promise<Found[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(readAxe())
  return (await page.evaluate(runCheck)) as Found[]
}

const describeFound = ({id, nodes}: Found) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`

// All of them, also those that axe calls moderate or minor.
export const findViolations = async (page: Page): Promise<string[]> => (await check(page)).map(describeFound)

const looks = [
  [1_280, 'light'],
  [390, 'dark'],
] as const

// What keeps people from using a page, in one of two looks, and what does not fit the screen in either. The pages of a test take turns
// with the looks, because they are made of the same parts, whose colours stylesheet.test.ts measures.
export async function findProblems(page: Page, turn: number): Promise<string[]> {
  const problems: string[] = []
  for (const [number, [width, colorScheme]] of looks.entries()) {
    await page.setViewportSize({width, height: 900})
    await page.emulateMedia({colorScheme})
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    if (overflow > 0) problems.push(`${overflow} pixels wider than ${width}`)
    if (turn % looks.length === number) problems.push(...(await findViolations(page)))
  }
  return problems
}
