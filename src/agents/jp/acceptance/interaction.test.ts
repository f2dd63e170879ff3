// A person at a real terminal, with a real editor and real keys.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { putWorkspace, WHOLE } from '../../../../test/support/jp/store.ts'
import { rethreadBin } from '../../../../test/support/package.ts'
import { KEYS, runInTerminal } from '../../../../test/support/pty.ts'
import { BAD_EVENTS, GOOD_EVENTS, makeSanitizeStage } from '../../../../test/support/sanitize-stage.ts'
import { listReceipts } from '../../../disk/vault/receipts.ts'
import { listUnfinished } from '../../../disk/vault/stored-vaults.ts'

const { enter, down, ctrlC } = KEYS
const DAMAGED = { 'events.json': BAD_EVENTS }
const MENU = 'Move it to the trash'

/** What lies in the copies that were edited. */
function editedCopies(home: string): string[] {
  return readdirSync(join(home, 'state', 'edits'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

describe('the editor', () => {
  test('one that fails after it wrote leaves the original unchanged, and the next round continues with what it wrote', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const rounds = join(stage.home, 'rounds')
    const editor = stage.editor(`echo x >> '${rounds}'
if [ "$(wc -l < '${rounds}')" = 1 ]; then printf '[ "typed"' > "$1"; exit 1; fi
cat "$1" > '${stage.home}/second'; exit 1`)
    const screen = stage.inTerminal(['sanitize', '--editor', editor])
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('ended with status 1')
    await screen.sees(MENU)
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(editedCopies(stage.home)).toEqual(['[ "typed"'])
    screen.type(enter)
    await screen.sees('ended with status 1')
    await screen.sees(MENU)
    screen.type(down, down, enter)
    await screen.sees('What you have edited is kept')
    expect(await screen.ended).toBe(5)
    expect(readFileSync(join(stage.home, 'second'), 'utf8')).toBe('[ "typed"')
    expect(editedCopies(stage.home)).toEqual(['[ "typed"'])
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(stage.files(name)).toEqual(['base_config.json', 'events.json', 'metadata.json'])
  })

  test('what is right but comes from an editor that failed is not taken, and not thrown away either', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize', '--editor', stage.editor(`printf '[]' > "$1"; exit 1`)])
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('ended with status 1')
    await screen.sees(MENU)
    screen.type(down, down, enter)
    await screen.sees('What you have edited is kept')
    expect(await screen.ended).toBe(5)
    expect(editedCopies(stage.home)).toEqual(['[]'])
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
  })

  test.each([
    ['takes the copy away', 'rm "$1"', 0],
    ['makes a folder of it, with the text inside', 'rm "$1"; mkdir "$1"; echo typed > "$1/text"', 1],
    ['leaves a file of its own beside it', 'echo typed > "$(dirname "$1")/.swap"; exit 1', 2],
  ])('one that %s: the menu comes back, and nothing of it is thrown away', async (_, script, left) => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize', '--editor', stage.editor(script)])
    for (let round = 0; round < 2; round++) {
      await screen.sees(MENU)
      screen.type(enter)
      await screen.sees('original is')
    }
    await screen.sees(MENU)
    screen.type(down, down, enter)
    expect(await screen.ended).toBe(5)
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(editedCopies(stage.home).length).toBeGreaterThanOrEqual(left)
    if (left > 0) expect(editedCopies(stage.home)).toContain('typed\n')
  })

  test('what another program repaired while the menu was shown does not go to the trash', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees(MENU)
    writeFileSync(join(stage.folder, '.jp/conversations', name, 'events.json'), GOOD_EVENTS)
    screen.type(down, down, down, enter)
    expect(await screen.ended).toBe(0)
    expect(stage.read(name, 'events.json')).toBe(GOOD_EVENTS)
  })

  test('what was edited while another program wrote is offered again, and removed only when it is in its place', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const rounds = join(stage.home, 'rounds')
    const original = join(stage.folder, '.jp/conversations', name, 'events.json')
    const editor = stage.editor(`echo x >> '${rounds}'
if [ "$(wc -l < '${rounds}')" = 1 ]; then printf '[]' > "$1"; echo >> '${original}'; fi`)
    const screen = stage.inTerminal(['sanitize', '--editor', editor])
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('The file changed while you decided')
    await screen.sees(MENU)
    expect(editedCopies(stage.home)).toEqual(['[]'])
    screen.type(enter)
    await screen.sees(`Repaired conversation ${name}`)
    expect(await screen.ended).toBe(0)
    expect(stage.read(name, 'events.json')).toBe('[]')
    expect(editedCopies(stage.home)).toEqual([])
  })

  test('a variable that names no program gives way to the next, whose words are split as a shell does, with spaces in every path', async () => {
    const home = join(temporaryHome(), 'my home')
    const name = '17935272000-price-field-in-the-cart'
    const folder = putWorkspace(home, { ...WHOLE, ...DAMAGED }, name)
    const program = put(
      home,
      'my tools/my editor',
      `#!/bin/sh\nsed -i '$!N; s/,\\n\\]/\\n]/; P; D' "$2"\necho "$1" > '${home}/word'\n`,
    )
    chmodSync(program, 0o755)
    mkdirSync(join(home, 'my state'))
    const args = [rethreadBin, '--home', home, '--state', join(home, 'my state'), 'sanitize', folder]
    const env = { VISUAL: 'nosuch-editor --wait', EDITOR: `sh -c "\\"${program}\\" \\"two words\\" \\"\\$1\\"" --` }
    const screen = runInTerminal(process.execPath, args, { folder: home, env })
    await screen.sees('$VISUAL (nosuch-editor --wait) cannot be used')
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees(`Repaired conversation ${name}`)
    expect(await screen.ended).toBe(0)
    const after = readFileSync(join(folder, '.jp/conversations', name, 'events.json'), 'utf8')
    expect(JSON.parse(after)).toEqual(JSON.parse(GOOD_EVENTS))
    expect(readFileSync(join(home, 'word'), 'utf8')).toBe('two words\n')
  })
})

test('Ctrl-C at the third of five: two are repaired, the others are as they were, nothing is half done, and the next run finds three', async () => {
  const stage = makeSanitizeStage()
  const names = ['a', 'b', 'c', 'd', 'e'].map(slug => stage.add(DAMAGED, slug))
  const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
  for (const name of names.slice(0, 2)) {
    await screen.sees(`What should be done with ${name}?`)
    await screen.sees('One answer for all')
    screen.type(down, enter)
  }
  await screen.sees(`What should be done with ${names[2]}?`)
  await screen.sees('One answer for all')
  screen.type(ctrlC)
  expect(await screen.ended).toBe(130)
  const state = join(stage.home, 'state')
  expect(listUnfinished(state)).toEqual([])
  expect(listReceipts(state).receipts.map(({ receipt }) => receipt.state)).toEqual(['applied', 'applied'])
  for (const name of names.slice(0, 2)) {
    expect(JSON.parse(stage.read(name, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS))
    expect(stage.files(name)).toHaveLength(4)
  }
  for (const name of names.slice(2)) {
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(stage.files(name)).toHaveLength(3)
  }
  const { stdout } = await stage.alone('sanitize', stage.folder, '--check', '--json')
  expect(JSON.parse(stdout).left.map(({ conversation }: { conversation: string }) => conversation)).toEqual(
    names.slice(2),
  )
})
