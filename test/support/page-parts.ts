// The parts of the page as a person names them.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const WAIT_MS = 120_000

export interface Parts {
  list: Locator
  conversation: Locator
  health: Locator
  terminals: Locator
  messages: Locator
  /** In the list, by its key. */
  row(key: string): Locator
  button(name: string | RegExp): Locator
  /** As the browser keeps it in the address. */
  open(key: string): Promise<void>
}

export function partsOf(page: Page): Parts {
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const list = page.getByRole('listbox', { name: 'Conversations' })
  return {
    list,
    conversation: region('Conversation'),
    health: region('Health'),
    terminals: page.locator('[data-terminals]'),
    messages: page.getByRole('feed', { name: 'Messages' }),
    row: key => list.locator(`[role=option][id$="${key}"]`),
    button: name => page.getByRole('button', { name, exact: typeof name === 'string' }),
    async open(key) {
      await page.evaluate(`location.hash = 'session=${key}'`)
      await page.evaluate('dispatchEvent(new PopStateEvent("popstate"))')
    },
  }
}

/** Until the words are there. */
export async function see(where: Locator, words: string | RegExp, timeout = WAIT_MS): Promise<void> {
  await where.getByText(words).first().waitFor({ timeout })
}

/** Until it is so; polled, as a person would look again. */
export async function until<Value>(what: () => Promise<Value>, wanted: Value): Promise<void> {
  await expect.poll(what, { interval: 50 }).toEqual(wanted)
}
