// Names, pins, tags, hidden conversations, the address of a message, and the export. Everything is put back at the end.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Browse } from '../../support/browser.ts'
import { barriers, hasSideways, testInFull } from '../../support/browser.ts'
import type { DemoStage, FoundSession } from '../../support/demo-stage.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

export function testOrganize(browse: Browse, stage: () => DemoStage): void {
  const healthy = (): FoundSession =>
    stage().find(({ problem, session }) => problem === 'none' && session.agent === 'claude-code')

  test('a conversation is named, tagged, pinned and hidden from its menu, listed so, and put back', async () => {
    const { key } = healthy()
    const page = await browse(stage().address)
    const { open, conversation, list, row, button } = partsOf(page)
    await open(key)
    const title = conversation.getByRole('heading', { level: 2 })
    await title.waitFor()
    const before = await title.innerText()
    await button('Organize').click()
    await button('Name and tags…').click()
    const dialog = page.getByRole('dialog', { name: 'Name and tags' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Zebra <b>crossing</b>')
    await dialog.getByRole('textbox', { name: /^Tags/ }).fill('Billing, #to do')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await until(async () => await title.innerText(), 'Zebra <b>crossing</b>')
    await button('Organize').click()
    await button('Pin to the top of the list').click()
    // The list stays where it was scrolled to; the pinned one is at its top.
    await list.press('Home')
    await see(list, 'Pinned')
    await see(row(key), '#billing')
    expect(await list.getByRole('option').first().getAttribute('id')).toMatch(new RegExp(`${key}$`))
    await page.getByRole('combobox', { name: 'Pins and tags' }).selectOption('#to-do')
    await until(async () => await list.getByRole('option').count(), 1)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Pins and tags' }).selectOption('')
    await button('Organize').click()
    await button('Hide from the list').click()
    await row(key).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Pins and tags' }).selectOption('hidden')
    await row(key).waitFor()
    await page.getByRole('combobox', { name: 'Pins and tags' }).selectOption('')
    await button('Organize').click()
    await button('Show in the list again').click()
    await row(key).waitFor()
    await button('Organize').click()
    await button('Unpin').click()
    await button('Organize').click()
    await button('Name and tags…').click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('')
    await dialog.getByRole('textbox', { name: /^Tags/ }).fill('')
    await page.keyboard.press('Enter')
    await until(async () => await title.innerText(), before)
    await page.getByRole('combobox', { name: 'Pins and tags' }).waitFor({ state: 'detached' })
  })

  test('every message has an address: its link opens the conversation at the message, also after a reload', async () => {
    const { key } = healthy()
    const page = await browse(stage().address)
    const { open, messages } = partsOf(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(key)
    await messages.waitFor()
    const article = messages.getByRole('article').first()
    // A conversation that opens goes to its end first.
    const atFirst = async () => {
      await messages.press('Home')
      return await article.getAttribute('data-index')
    }
    await until(atFirst, '0')
    await article.hover()
    await article.getByRole('button', { name: 'Copy link to message 1' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(link).toMatch(/#session=[\w-]{22}&message=/)
    expect(link).not.toContain('token')
    const focused = async () => await page.evaluate('document.activeElement.getAttribute("data-index")')
    await page.goto('about:blank')
    await page.goto(link)
    await until(focused, '0')
    await page.reload()
    await until(focused, '0')
    await page.evaluate(`location.hash = 'session=${key}&message=no-such-message'`)
    await see(page.locator('body'), 'That message is no longer in this conversation.')
  })

  testInFull('a conversation is downloaded as Markdown, HTML and JSON', async () => {
    const { key } = healthy()
    const page = await browse(stage().address)
    const { open, button } = partsOf(page)
    await open(key)
    const dialog = page.getByRole('dialog', { name: 'Export this conversation' })
    const download = async (format: string) => {
      await button('Export').click()
      await dialog.getByRole('radio', { name: format }).check()
      await dialog.getByRole('checkbox').check()
      await see(dialog, 'No redaction is perfect')
      expect(await barriers(page)).toEqual([])
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('link', { name: 'Download' }).click(),
      ])
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
    }
    for (const [format, name, start] of [
      ['Markdown', /\.md$/, /^# /],
      ['HTML', /\.html$/, /^<!doctype html>/],
      ['JSON', /\.json$/, /^\{"agent"/],
    ] as const) {
      const file = await download(format)
      expect(file.name).toMatch(name)
      expect(file.text).toMatch(start)
      expect(file.text).toContain('No redaction is perfect')
    }
  })

  testInFull('on a phone all of it is in the menu of the conversation', async () => {
    const { key } = healthy()
    const page = await browse(stage().address, { width: 390, height: 844, isTouched: true })
    const { open, messages, button } = partsOf(page)
    await open(key)
    await messages.waitFor()
    for (const name of ['Name and tags…', 'Export']) {
      await button('More').tap()
      await button(name).tap()
      await page.getByRole('dialog').waitFor()
      expect(await hasSideways(page)).toBe(false)
      expect(await barriers(page)).toEqual([])
      await page.keyboard.press('Escape')
    }
  })
}
