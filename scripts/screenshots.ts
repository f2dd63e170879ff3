// npm run screenshots: takes the pictures of the README from the demo, in Debian's Chromium.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { startGrowing } from '../src/demo/growth.ts'
import type { Demo, DemoSession } from '../src/demo/index.ts'
import { buildDemo } from '../src/demo/index.ts'
import { startServer } from '../src/server/app.ts'
import { keyOfSession } from '../src/server/sessions/index.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'docs', 'screenshots')
/** Visible in the pictures, so it has a readable name. */
const HOME = join(tmpdir(), 'rethread-demo')
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const MAX_BYTES = 300_000

interface Picture {
  name: string
  theme: 'light' | 'dark'
  size: { width: number; height: number }
  /** Brings the page into the state of the picture. */
  show(page: Page, demo: Demo): Promise<void>
}

const pictures: readonly Picture[] = [
  { name: 'home-light', theme: 'light', size: WIDE, show: async page => await seeText(page, 'Last repairs') },
  { name: 'conversation-light', theme: 'light', size: WIDE, show: showDamaged },
  { name: 'conversation-dark', theme: 'dark', size: WIDE, show: showDamaged },
  { name: 'phone', theme: 'light', size: PHONE, show: showDamaged },
  // Last, because it repairs a session that the others show as damaged.
  { name: 'terminal-dark', theme: 'dark', size: WIDE, show: showTerminal },
]

if (existsSync(HOME)) throw new Error(`Something is in the way. Look at it, then remove it: rm -r ${HOME}`)
try {
  await makeAll()
} finally {
  rmSync(HOME, { recursive: true, force: true })
}

async function makeAll(): Promise<void> {
  const demo = await buildDemo({ home: HOME })
  const listening = { token: 'a-token-that-nobody-needs', host: '127.0.0.1', port: 0, version: 'demo' }
  const page = join(ROOT, 'dist', 'web')
  const server = await startServer({
    ...listening,
    context: demo.context,
    page,
    isDemo: true,
    pathFirst: demo.commands,
  })
  // The growing conversation must keep growing, or it would count as damaged.
  const growing = demo.growth === undefined ? undefined : startGrowing(demo.growth)
  const browser = await launch()
  try {
    mkdirSync(FOLDER, { recursive: true })
    for (const picture of pictures) await take(browser, server.address, picture, demo)
  } finally {
    growing?.stop()
    await browser.close()
    await server.stop()
    await demo.context.log.flush()
  }
}

async function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find(path => existsSync(path))
  if (executablePath === undefined) throw new Error('The pictures need Chromium. Install it: apt-get install chromium')
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

async function take(
  browser: Browser,
  address: string,
  { name, theme, size, show }: Picture,
  demo: Demo,
): Promise<void> {
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: 1,
    colorScheme: theme,
    reducedMotion: 'reduce',
    hasTouch: size === PHONE,
  })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('listbox').getByRole('option').first().waitFor()
  if (size === WIDE) {
    await page.getByText('All checked').waitFor()
    // The figures of the home view appear a moment later.
    await page.getByRole('button', { name: 'not checked yet' }).waitFor({ state: 'detached' })
  }
  await show(page, demo)
  const path = join(FOLDER, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  await context.close()
  const { size: bytes } = statSync(path)
  process.stdout.write(`${basename(path)} ${Math.round(bytes / 1000)} kB\n`)
  if (bytes > MAX_BYTES) throw new Error(`${basename(path)} is larger than ${MAX_BYTES / 1000} kB.`)
}

async function showDamaged(page: Page, demo: Demo): Promise<void> {
  await page.getByRole('combobox', { name: 'Health' }).selectOption('Damaged')
  await page.evaluate(`location.hash = 'session=${keyOfDamaged(demo)}'`)
  // On a phone it is in a menu.
  const isPhone = page.viewportSize()?.width === PHONE.width
  if (isPhone) await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: /^Next finding/ }).click()
  await page.locator('[role=note]:focus').waitFor()
}

async function showTerminal(page: Page, demo: Demo): Promise<void> {
  await showDamaged(page, demo)
  await page.getByRole('button', { name: /^Resume/ }).click()
  await seeText(page, /^Repaired: /)
  await page.getByRole('textbox', { name: /^Terminal input/ }).pressSequentially('Go on where we stopped.\n')
  await page.getByRole('region', { name: 'Health' }).getByText('Healthy').waitFor()
}

/** A conversation of some size in which a repair recovers much. */
function keyOfDamaged({ sessions }: Demo): string {
  const isShown = ({ damage, session }: DemoSession) => damage === 'broken-parent' && session.agent === 'claude-code'
  const found = sessions.find(isShown)
  if (found === undefined) throw new Error('The demo has no conversation with a broken link.')
  return keyOfSession(found.session)
}

async function seeText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
}
