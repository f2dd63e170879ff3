// The frame around the conversation: where the keyboard is, how wide the columns are, and how much room is left on a small screen.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Browse } from '../../support/browser.ts'
import { barriers, hasSideways, testInFull } from '../../support/browser.ts'
import type { DemoStage, FoundSession } from '../../support/demo-stage.ts'
import { inFull } from '../../support/full.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

const LONG = 'The long way to the new checkout'

export function testFrame(browse: Browse, stage: () => DemoStage): void {
  const broken = (): FoundSession =>
    stage().find(({ damage, session }) => damage === 'broken-parent' && session.agent === 'claude-code')
  const scrollTop = async (page: Page) => Number(await page.evaluate('document.querySelector("[role=feed]").scrollTop'))
  const focusedRole = async (page: Page) => await page.evaluate('document.activeElement.getAttribute("role")')

  /** Once messages that come into view have their height, and nothing moves any more. */
  async function settled(page: Page): Promise<number> {
    let last = Number.NaN
    await until(async () => {
      const before = last
      last = await scrollTop(page)
      return before === last
    }, true)
    return last
  }

  async function boxOf(where: Locator) {
    const box = await where.boundingBox()
    if (box === null) throw new Error('It is not on the screen.')
    return box
  }

  /** Opened as a person without a mouse does it. */
  async function enter(page: Page, words: string): Promise<void> {
    const { list } = partsOf(page)
    await list.getByRole('option').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await until(async () => await list.getByRole('option').count(), 1)
    await page.keyboard.press('Enter')
  }

  test('Esc closes the bytes, then the details, and nothing else; the next Esc leaves the conversation, back to the list', async () => {
    const { key } = broken()
    const page = await browse(stage().address)
    const { open, health, conversation, list } = partsOf(page)
    await open(key)
    const details = health.getByRole('button', { name: 'Show details' }).first()
    await details.click()
    await health.getByRole('button', { name: 'Show bytes' }).first().click()
    const bytes = health.getByRole('figure', { name: /^Bytes / })
    await bytes.first().waitFor()
    await page.keyboard.press('Escape')
    await bytes.first().waitFor({ state: 'detached' })
    await health.getByRole('button', { name: 'Hide details' }).waitFor()
    await page.keyboard.press('Escape')
    await until(async () => await health.getByRole('figure').count(), 0)
    expect(await conversation.count()).toBe(1)
    await conversation.getByRole('button', { name: /^Next finding/ }).click()
    await conversation.getByRole('note').first().getByRole('button').click()
    await conversation.getByRole('note').getByRole('figure').first().focus()
    await page.keyboard.press('Escape')
    await until(async () => await conversation.getByRole('note').getByRole('figure').count(), 0)
    expect(await conversation.count()).toBe(1)
    // Where the bytes were opened from.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-expanded")')).toBe('false')
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Home' }).waitFor()
    await until(async () => await page.evaluate('document.activeElement.id'), 'conversations')
    expect(await list.count()).toBe(1)
  })

  test('Enter takes the keyboard into the conversation: its keys scroll it', async () => {
    const page = await browse(stage().address)
    const { keyboard } = page
    await enter(page, LONG)
    await until(async () => await focusedRole(page), 'feed')
    await until(async () => (await scrollTop(page)) > 500, true)
    const end = await settled(page)
    // A conversation that is still being measured returns to its end.
    const scrolledUp = async () => {
      await keyboard.press('PageUp')
      return (await scrollTop(page)) < end - 100
    }
    await until(scrolledUp, true)
    const above = await settled(page)
    await keyboard.press('ArrowUp')
    await until(async () => (await scrollTop(page)) < above, true)
    await keyboard.press('Home')
    await until(async () => await scrollTop(page), 0)
    await keyboard.press('ArrowDown')
    await until(async () => (await scrollTop(page)) > 0, true)
    await keyboard.press('End')
    await until(async () => (await scrollTop(page)) > 500, true)
    expect(await focusedRole(page)).toBe('feed')
  })

  testInFull('the palette and the home view take the keyboard along, too', async () => {
    const page = await browse(stage().address)
    await page.getByRole('region', { name: 'Home' }).getByRole('button', { name: LONG }).first().focus()
    await page.keyboard.press('Enter')
    await until(async () => await focusedRole(page), 'feed')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Plural of a count')
    await page.getByRole('dialog').getByRole('option', { name: 'Plural of a count', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await see(partsOf(page).conversation, 'Plural of a count')
    await until(async () => await focusedRole(page), 'feed')
  })

  test('the first stop of the keyboard leads past everything to what is open, and the address stays', async () => {
    const page = await browse(stage().address)
    const { open, messages } = partsOf(page)
    await open(broken().key)
    await messages.waitFor()
    const address = page.url()
    await page.keyboard.press('Tab')
    const link = page.getByRole('link', { name: 'Skip to content' })
    expect((await boxOf(link)).width).toBeGreaterThan(60)
    await page.keyboard.press('Enter')
    await until(async () => await focusedRole(page), 'feed')
    expect(page.url()).toBe(address)
  })

  test("the tab's title follows what is open", async () => {
    const { key, title } = broken()
    const page = await browse(stage().address)
    await until(async () => await page.title(), 'Home · rethread')
    await partsOf(page).open(key)
    await until(async () => await page.title(), `${title} · rethread`)
    await page.keyboard.press('Escape')
    await until(async () => await page.title(), 'Home · rethread')
  })

  describe('the columns', () => {
    testInFull(
      'are made wider and narrower with the keyboard and with the pointer, within bounds, and stay so',
      async () => {
        const page = await browse(stage().address)
        const { open, list, health, conversation } = partsOf(page)
        await open(broken().key)
        await see(health, 'Damaged')
        const line = page.getByRole('separator', { name: 'Width of the list' })
        const before = await boxOf(list)
        await line.focus()
        for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowRight')
        await until(async () => (await boxOf(list)).width, before.width + 48)
        expect(await line.getAttribute('aria-valuenow')).toBe(String(Math.round(before.width + 48)))
        await page.keyboard.press('Home')
        await until(async () => (await boxOf(list)).width, 240)
        const other = page.getByRole('separator', { name: 'Width of the health panel' })
        const at = await boxOf(other)
        await page.mouse.move(at.x, at.y + 200)
        await page.mouse.down()
        await page.mouse.move(at.x - 2000, at.y + 200, { steps: 4 })
        await page.mouse.up()
        await until(async () => (await boxOf(health)).width, 560)
        expect((await boxOf(conversation)).width).toBeGreaterThanOrEqual(400)
        await page.reload()
        await see(health, 'Damaged')
        expect([(await boxOf(list)).width, (await boxOf(health)).width]).toEqual([240, 560])
        await other.dblclick()
        await until(async () => (await boxOf(health)).width, 320)
      },
    )

    test.each(inFull([1024, 1180], [1024]))(
      'at %d pixels health is a drawer: opened, closed by Esc, and the conversation has the room',
      async width => {
        const page = await browse(stage().address, { width })
        const { open, health, conversation, button } = partsOf(page)
        await open(broken().key)
        await conversation.getByRole('feed').waitFor()
        expect((await boxOf(conversation)).width).toBeGreaterThanOrEqual(width - 340)
        expect(await health.count()).toBe(0)
        await button('Health').click()
        await see(health, 'Damaged')
        expect((await boxOf(conversation)).width).toBeGreaterThanOrEqual(width - 340)
        expect(await barriers(page)).toEqual([])
        await page.keyboard.press('Escape')
        await health.waitFor({ state: 'detached' })
        expect(await conversation.count()).toBe(1)
        expect(await page.evaluate('document.activeElement.innerText')).toBe('Health')
        await button('Health').click()
        await health.getByRole('button', { name: 'Show in conversation' }).first().click()
        await health.waitFor({ state: 'detached' })
        expect(await hasSideways(page)).toBe(false)
      },
    )

    testInFull('from 1,200 pixels on, health stands beside the conversation', async () => {
      const page = await browse(stage().address, { width: 1200 })
      const { open, health, conversation } = partsOf(page)
      await open(broken().key)
      await see(health, 'Damaged')
      const [one, other] = [await boxOf(conversation), await boxOf(health)]
      expect(other.x).toBeGreaterThanOrEqual(one.x + one.width)
      expect(one.width).toBeGreaterThanOrEqual(500)
    })
  })

  test('on a phone the messages begin within 120 pixels, and everything of the head is in its menu', async () => {
    const page = await browse(stage().address, { width: 390, height: 844, isTouched: true })
    const { open, messages, conversation, button } = partsOf(page)
    await open(broken().key)
    await messages.waitFor()
    expect((await boxOf(messages)).y).toBeLessThanOrEqual(120)
    await button('More').tap()
    await button(/^Next finding/).tap()
    await conversation.getByRole('note').first().waitFor()
    await until(async () => await focusedRole(page), 'note')
    await button('More').tap()
    expect(await hasSideways(page)).toBe(false)
    expect(await barriers(page)).toEqual([])
  })

  testInFull('however many terminals there are, the tab of the one that is shown is seen as a whole', async () => {
    const page = await browse(stage().address, { width: 1024 })
    const { open, terminals, button } = partsOf(page)
    await open(broken().key)
    await page.keyboard.press('t')
    await see(terminals, /[$#]/)
    for (let count = 2; count <= 9; count++) {
      await button('New terminal in a tab').click()
      await until(async () => await page.getByRole('tab').count(), count)
    }
    const strip = page.getByRole('tablist', { name: 'Terminals' })
    await expectWithin(page, strip)
    await page.getByRole('tab').first().click()
    await expectWithin(page, strip)
  })

  async function expectWithin(page: Page, strip: Locator): Promise<void> {
    const isWithin = z.boolean()
    await until(async () => {
      const outer = await boxOf(strip)
      const inner = await boxOf(page.getByRole('tab', { selected: true }))
      const fits = inner.x >= outer.x - 1 && inner.x + inner.width <= outer.x + outer.width + 1
      return isWithin.parse(fits && inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1)
    }, true)
  }

  test('a dialog puts the keyboard on what changes nothing, or into its first field, and never on ✕', async () => {
    const page = await browse(stage().address)
    const { open, health, button } = partsOf(page)
    await open(broken().key)
    await see(health, 'Damaged')
    const focusedText = async () => await page.evaluate('document.activeElement.innerText')
    await button(/^Repair x/)
      .or(button('Repair'))
      .first()
      .click()
    await until(focusedText, 'Cancel')
    await page.keyboard.press('Escape')
    await button('Repair all').click()
    await until(focusedText, 'Cancel')
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'New conversation' }).waitFor()
    await until(async () => await page.evaluate('document.activeElement.closest("dialog") !== null'), true)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).not.toBe('Close')
  })

  testInFull('the palette offers only what can be done, and says when nothing matches', async () => {
    const page = await browse(stage().address)
    const { open, health } = partsOf(page)
    const { key } = stage().find(({ problem, session }) => problem === 'none' && session.agent === 'claude-code')
    await open(key)
    await see(health, 'Healthy')
    const option = (name: string | RegExp) => page.getByRole('dialog').getByRole('option', { name })
    await page.keyboard.press('Control+k')
    await option(/^Resume the/).waitFor()
    expect([await option('Repair the conversation').count(), await option('Undo the last repair').count()]).toEqual([
      0, 0,
    ])
    await page.keyboard.type('zzzzqqqq')
    await see(page.getByRole('dialog'), 'Nothing matches “zzzzqqqq”')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await option(/^Resume the/).waitFor()
    await page.keyboard.press('Escape')
    await open(broken().key)
    await see(health, 'Damaged')
    await page.keyboard.press('Control+k')
    await option('Repair the conversation').waitFor()
  })
}
