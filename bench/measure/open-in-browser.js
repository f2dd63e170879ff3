// node open-in-browser.js CHROMIUM SCRIPT HOME STATE ROUNDS: starts the server on a home with one session, opens that in a browser again and again, and
// prints as JSON how long the first message took and how long the frames while scrolling.
import { spawn } from 'node:child_process'
import { chromium } from 'playwright-core'

const [executablePath, script, home, state, rounds] = process.argv.slice(2)
const TURNS = 40
const TURN_PX = 4000

const server = spawn(
  process.execPath,
  [script, '--home', home, '--state', state, 'serve', '--json', '--no-open', '--port', '0'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(await addressOf(server))
  await page.getByText('All checked').waitFor({ timeout: 120_000 })
  const opened = []
  for (let round = 0; round <= Number(rounds); round++) opened.push(await openOnce(page))
  const [cold, ...warm] = opened
  const frames = await scroll(page)
  process.stdout.write(`${JSON.stringify({ cold, opened: warm, frames })}\n`)
  await browser.close()
} finally {
  server.kill('SIGINT')
}

async function addressOf(child) {
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.endsWith('}\n')) return JSON.parse(text).address
  }
  throw new Error('The server did not start.')
}

/** Measured inside the page: from the click to the frame in which a message stands. */
async function openOnce(page) {
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Home' }).waitFor()
  return await page.evaluate(`new Promise(resolve => {
    const start = performance.now()
    document.querySelector('[role=listbox] [role=option]').click()
    const look = () =>
      document.querySelector('[role=feed] article h3') === null
        ? requestAnimationFrame(look)
        : resolve(performance.now() - start)
    requestAnimationFrame(look)
  })`)
}

async function scroll(page) {
  return await page.evaluate(`new Promise(resolve => {
    const feed = document.querySelector('[role=feed]')
    const frames = []
    let last = performance.now()
    const step = now => {
      frames.push(now - last)
      last = now
      if (frames.length > ${TURNS} * 6) return resolve(frames.slice(1))
      if (frames.length % 6 === 0) feed.scrollTop -= ${TURN_PX}
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
}
