// A page in Debian's Chromium. Whatever the page complains about, and whatever it asks for outside this machine, fails the test.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import type { Browser, ConsoleMessage, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { isFull } from './full.ts'

export { BUILT_PAGE } from './built-page.ts'

/** The first has no windows, and needs a third less of the processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser']
/** Said by the drivers of the machine, or of its speed, not by the page. */
const OF_THE_MACHINE = /GL Driver Message|GPU stall|swiftshader|task queue exceeded allotted deadline/i
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WAIT_MS = 120_000
/** Each new window would load pages of the browser's own for them; the others ask for something on the network. */
const UNUSED = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch', 'MediaRouter', 'HttpsUpgrades'],
  ...['PaintHolding', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose'],
]

export type Theme = 'light' | 'dark'

export interface LookOptions {
  width?: number
  height?: number
  theme?: Theme
  /** A finger in place of a mouse. */
  isTouched?: boolean
  /** What the browser itself says of an answer that is an error, or of a server that is gone. */
  expects?: RegExp
}

export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const named = process.env['RETHREAD_TEST_CHROMIUM']
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '')
  const places = NAMES.flatMap(name => folders.map(folder => join(folder, name)))
  const executablePath = [...(named === undefined ? [] : [named]), ...places].find(path => existsSync(path))
  if (executablePath === undefined)
    throw new Error(
      'The browser tests need Chromium. Install it: apt-get install chromium. Or name one: RETHREAD_TEST_CHROMIUM=/path/to/chromium npm test',
    )
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', `--disable-features=${UNUSED.join(',')}`, ...args],
  })
}

/** A test that only `npm run test:full` and CI run: it takes long, and every run has others of the same view. */
export function testInFull(name: string, body: () => Promise<void>): void {
  if (isFull) test(name, body)
}

export type Browse = (address: string, options?: LookOptions) => Promise<Page>

/** Of this process. Starting one takes longer than most tests; each page has a profile of its own. */
const browsers = new Map<string, Promise<Browser>>()

/** Without graphics a terminal's text is in the page, where a test can read it. It ends with the process. */
export function shareBrowser({ hasGraphics = false } = {}): Browse {
  const args = hasGraphics ? [] : ['--disable-3d-apis']
  return async (address, options = {}) => await look(await sharedBrowser(args), address, options)
}

async function sharedBrowser(args: readonly string[]): Promise<Browser> {
  const key = args.join(' ')
  const running = await browsers.get(key)
  if (running?.isConnected()) return running
  const launched = launchBrowser(args)
  browsers.set(key, launched)
  return await launched
}

async function look(browser: Browser, address: string, options: LookOptions): Promise<Page> {
  const { width = 1440, height = 900, theme = 'light', isTouched = false } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: isTouched,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const faults = collectFaults(page, new URL(address).host, options.expects)
  onTestFinished(async () => {
    await context.close()
    expect(faults, 'what the page complained about').toEqual([])
  })
  await page.goto(address)
  return page
}

function collectFaults(page: Page, host: string, expected: RegExp | undefined): string[] {
  const faults: string[] = []
  const note = (text: string): void => {
    if (expected === undefined || !expected.test(text)) faults.push(text)
  }
  page.on('console', message => {
    if (isComplaint(message)) note(`${message.type()}: ${message.text()} ${message.location().url}`.trimEnd())
  })
  page.on('pageerror', error => note(`thrown: ${error.stack ?? error.message}`))
  page.on('dialog', dialog => {
    note(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', popup => note(`popup: ${popup.url()}`))
  page.on('request', request => {
    const { protocol, host: asked } = new URL(request.url())
    if (asked !== host && protocol !== 'data:' && protocol !== 'blob:') note(`asked for ${request.url()}`)
  })
  page.on('websocket', socket => {
    if (new URL(socket.url()).host !== host) note(`connected to ${socket.url()}`)
  })
  return faults
}

/** A breach of the Content-Security-Policy is an error on the console, too. */
function isComplaint(message: ConsoleMessage): boolean {
  return (message.type() === 'error' || message.type() === 'warning') && !OF_THE_MACHINE.test(message.text())
}

const violationsSchema = z.object({
  violations: z.array(
    z.object({ id: z.string(), impact: z.string().nullish(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
})

/** What would keep somebody from using this view: serious and critical findings of axe. */
export async function barriers(page: Page): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE)
  const found = violationsSchema.parse(await page.evaluate('axe.run({ resultTypes: ["violations"] })'))
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`))
}

export async function hasSideways(page: Page): Promise<boolean> {
  return z
    .boolean()
    .parse(await page.evaluate('document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth'))
}
