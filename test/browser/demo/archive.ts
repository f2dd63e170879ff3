// Sessions that an agent deleted, cut or replaced: seen, compared and restored on the page.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Browse, Theme } from '../../support/browser.ts'
import { barriers, hasSideways, testInFull } from '../../support/browser.ts'
import type { DemoStage, FoundSession } from '../../support/demo-stage.ts'
import { inFull } from '../../support/full.ts'
import { partsOf, see, until } from '../../support/page-parts.ts'

export function testArchive(browse: Browse, stage: () => DemoStage): void {
  const shortened = (): FoundSession =>
    stage().find(({ problem, session }) => problem === 'shortened' && session.agent === 'claude-code')

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Restore this conversation?' })
  const noticesOf = (page: Page) => page.getByRole('region', { name: 'Archive', exact: true })

  test('a purge is a notice that leads to the deleted sessions; one is read, restored, and the restore undone', async () => {
    const page = await browse(stage().address)
    const { list, row, conversation, health } = partsOf(page)
    const notice = noticesOf(page).getByRole('listitem').filter({ hasText: 'sessions of Claude Code were deleted' })
    await notice.getByRole('button', { name: 'Show them' }).click()
    await see(page.getByRole('search'), '6 found')
    const deleted = stage().find(({ problem, session }) => problem === 'deleted' && session.agent === 'claude-code')
    await see(row(deleted.key), /^deleted by Claude Code on \d+ \w+; archived$/)
    await row(deleted.key).click()
    await conversation.getByRole('feed').waitFor()
    await see(conversation, /^Deleted by Claude Code on .*; archived\.$/)
    await see(health, 'Claude Code no longer has this conversation. The archive has its last state.')
    await see(health, 'Was deleted by Claude Code')
    await health.getByRole('button', { name: 'Restore', exact: true }).click()
    await see(dialogOf(page), /^As of .* messages, /)
    await dialogOf(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await see(health, /^Restored as of .* It can be undone\.$/)
    expect(existsSync(deleted.session.filePath)).toBe(true)
    await until(async () => await conversation.getByText('; archived.').count(), 0)
    await until(async () => await list.getByRole('option').count(), 5)
    await see(health, 'Restored from the archive')
    await health.getByRole('button', { name: 'Undo' }).first().click()
    await see(conversation, '; archived.')
    expect(existsSync(deleted.session.filePath)).toBe(false)
    await until(async () => await list.getByRole('option').count(), 6)
  })

  testInFull('a shortened session is seen as it was, compared with now, restored, and the restore undone', async () => {
    const { key, session, messages } = shortened()
    const cut = readFileSync(session.filePath)
    const page = await browse(stage().address)
    const { conversation, health, button } = partsOf(page)
    const notice = noticesOf(page).getByRole('listitem').filter({ hasText: '(Claude Code) was shortened from' })
    await notice.getByRole('button', { name: 'Show its restore points' }).click()
    await until(async () => await page.evaluate('location.hash'), `#session=${key}`)
    await see(health, /^Was shortened, from \d+ to \d+ messages$/)
    const points = health.getByRole('listitem').getByRole('button')
    await until(async () => await points.count(), 4)
    await points.nth(1).click()
    await see(conversation, new RegExp(`^As of .*, ${messages} messages\\.$`))
    expect(await points.nth(1).getAttribute('aria-pressed')).toBe('true')
    expect(await button(/^Resume/).isDisabled()).toBe(true)
    await health.getByRole('button', { name: 'Compare' }).click()
    const compared = page.getByRole('dialog', { name: 'What changed' })
    await see(compared, /^\d+ messages went/)
    await see(compared.getByRole('listitem').first(), /^Went|^Changed/)
    await compared.getByRole('combobox', { name: 'Later' }).selectOption({ index: 1 })
    await see(compared, 'The messages are the same.')
    await compared.getByRole('button', { name: 'Close' }).last().click()
    await health.getByRole('button', { name: 'Restore this state' }).click()
    await see(dialogOf(page), 'What is there now is archived before it is replaced.')
    await dialogOf(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await see(health, /^Restored as of /)
    await until(async () => await conversation.getByText('Back to the present').count(), 0)
    expect(readFileSync(session.filePath).length).toBeGreaterThan(cut.length)
    await health.getByRole('button', { name: 'Undo' }).first().click()
    await see(health, 'Undone.')
    expect(readFileSync(session.filePath)).toEqual(cut)
  })

  test('the restore points are reached, opened and left with the keyboard alone', async () => {
    const page = await browse(stage().address)
    const { open, conversation, health } = partsOf(page)
    await open(shortened().key)
    await conversation.getByRole('feed').waitFor()
    await see(health, 'First copy')
    await page.keyboard.press('v')
    await until(async () => await page.evaluate('document.activeElement.getAttribute("aria-pressed")'), 'false')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await see(conversation, /^As of /)
    await page.keyboard.press('Enter')
    await until(async () => await conversation.getByText('Back to the present').count(), 0)
  })

  test('a conversation that its agent deletes while it is open stays, and says so', async () => {
    const { key, session } = stage().find(
      ({ problem, session: { agent } }) => problem === 'shortened' && agent === 'codex',
    )
    const page = await browse(stage().address)
    const { open, conversation, health } = partsOf(page)
    await open(key)
    await conversation.getByRole('feed').waitFor()
    await see(health, 'Healthy')
    const content = readFileSync(session.filePath)
    rmSync(session.filePath)
    await see(conversation, 'Missing; archived.')
    await see(health, 'Codex no longer has this conversation. The archive has its last state.')
    await conversation.getByRole('feed').waitFor()
    writeFileSync(session.filePath, content)
    await until(async () => await conversation.getByText('; archived.').count(), 0)
  })

  testInFull('where another session has the place, the refusal offers a new id', async () => {
    const { services } = stage().server
    const healthy = stage().demo.sessions.filter(
      ({ problem, session }) => problem === 'none' && session.agent === 'gemini-cli',
    )
    const lists = await Promise.all(healthy.map(({ session }) => services.archive.versions(session, {})))
    const archived = healthy.find((_, at) => lists[at] !== null)
    const { key, session: old } = stage().find(each => each === archived)
    const other = readFileSync(old.filePath, 'utf8').replaceAll(old.sessionId, '99999999-9999-4999-8999-999999999999')
    rmSync(old.filePath)
    writeFileSync(old.filePath, other)
    await services.sessions.refresh()
    const page = await browse(stage().address, { expects: /Failed to load resource/ })
    const { open, conversation, health } = partsOf(page)
    await open(key)
    await see(conversation, 'Missing; archived.')
    await health.getByRole('button', { name: 'Restore', exact: true }).click()
    await dialogOf(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await see(dialogOf(page), /holds another session now, and is not replaced/)
    expect(readFileSync(old.filePath, 'utf8')).toBe(other)
    await dialogOf(page).getByRole('button', { name: 'Restore as new' }).click()
    await see(health, /^Restored as of /)
    await until(async () => String(await page.evaluate('location.hash')).includes(key), false)
    await conversation.getByRole('feed').waitFor()
    expect(readFileSync(old.filePath, 'utf8')).toBe(other)
  })

  testInFull('what will be deleted soon is said to be kept, and what happened can be dismissed', async () => {
    const page = await browse(stage().address)
    const soon = page.getByRole('region', { name: /Deleted by their agent/ })
    await see(soon, /^kept in the archive, will leave (Claude Code|Gemini CLI) in \d+ days?$/)
    await see(noticesOf(page), /was shortened from/)
    await noticesOf(page).getByRole('button', { name: 'Dismiss' }).click()
    await until(
      async () =>
        await noticesOf(page)
          .getByText(/was shortened from|were deleted/)
          .count(),
      0,
    )
    await see(noticesOf(page), /is damaged: database disk image is malformed/)
  })

  test.each(inFull<Theme[]>(['light', 'dark'], ['light']))(
    'a phone shows all of it without a barrier (%s)',
    async theme => {
      const page = await browse(stage().address, { width: 390, height: 844, theme, isTouched: true })
      const { list, conversation, health, button, open } = partsOf(page)
      const expectFits = async () => {
        expect(await hasSideways(page)).toBe(false)
        expect(await barriers(page)).toEqual([])
      }
      await list.getByRole('option').first().waitFor()
      await page.getByRole('combobox', { name: 'Health' }).selectOption('Deleted, archived')
      await see(list, /; archived$/)
      await expectFits()
      await open(shortened().key)
      await conversation.getByRole('feed').waitFor()
      await button('Health').click()
      await see(health, 'First copy')
      await expectFits()
      await health.getByRole('listitem').getByRole('button').nth(1).click()
      await see(conversation, /^As of /)
      await expectFits()
      await button('Compare').click()
      await see(page.getByRole('dialog', { name: 'What changed' }), /messages? went/)
      await expectFits()
      await page.keyboard.press('Escape')
      await button('Restore').click()
      await see(dialogOf(page), /^As of /)
      await expectFits()
    },
  )
}
