// Screenshots of the documentation. SVC_SCREENSHOTS=1 updates them.
import fs from 'node:fs'
import path from 'node:path'
import type {Page} from 'playwright-core'
import {root} from '../../support/svc.ts'

const folder = path.join(root, 'docs/screenshots')

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env['SVC_SCREENSHOTS']) return
  fs.mkdirSync(folder, {recursive: true})
  await page.screenshot({path: path.join(folder, `${name}.png`)})
}
