// rethread sanitize as a person meets it: the real command, on real files, in a real pseudo-terminal.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rethreadBin } from '../support/package.ts'
import { KEYS, runInTerminal } from '../support/pty.ts'
import { BAD_EVENTS, GOOD_EVENTS, makeSanitizeStage } from '../support/sanitize-stage.ts'

const { enter, down, ctrlC, ctrlD, ctrlU } = KEYS
const DAMAGED = { 'events.json': BAD_EVENTS }
const MENU = 'Move it to the trash'

describe('a damaged events.json', () => {
  test('is repaired in the editor on the second try: the menu comes twice, the file is exchanged once', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const rounds = join(stage.home, 'rounds')
    const editor = stage.editor(`echo x >> '${rounds}'
if [ "$(wc -l < '${rounds}')" = 1 ]; then sed -i 's/Ann/Bea/' "$1"; else sed -i '$!N; s/,\\n\\]/\\n]/; P; D' "$1"; fi`)
    const screen = stage.inTerminal(['sanitize', '--editor', editor])
    await screen.sees('One conversation needs your decision:')
    await screen.sees(`Conversation ${name} has a corrupt events.json.`)
    await screen.sees(/trailing comma at line \d+ column \d+/)
    await screen.sees('Suggested fix:')
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('Still not valid: events.json: trailing comma')
    await screen.sees(MENU)
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    screen.type(enter)
    await screen.sees(`Repaired conversation ${name}:`)
    expect(await screen.ended).toBe(0)
    expect(JSON.parse(stage.read(name, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS.replace('Ann', 'Bea')))
    const quarantined = stage.files(name).filter(file => file.startsWith('events.corrupted.'))
    expect(quarantined.map(file => stage.read(name, file))).toEqual([BAD_EVENTS])
  })

  test('is opened in the editor that the agent itself would take', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const editor = stage.editor(`sed -i '$!N; s/,\\n\\]/\\n]/; P; D' "$1"`)
    const screen = stage.inTerminal(['sanitize'], { env: { JP_EDITOR: editor, VISUAL: 'false' } })
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees(`Repaired conversation ${name}: repaired events.json with the edited text`)
    expect(await screen.ended).toBe(0)
  })

  test('that is missing leaves nothing to edit, and says where a copy has to be put', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add({ 'events.json': undefined })
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees(`Conversation ${name}: missing events.json. Its messages are gone.`)
    await screen.sees('If you have a copy of events.json, leave it now, put the copy there, and run this again:')
    await screen.sees(MENU)
    expect(screen.text()).not.toContain('Edit a copy')
    screen.type(enter)
    await screen.sees('Kept as is, as you chose.')
    expect(await screen.ended).toBe(5)
  })

  test('stays as it is where the editor fails and the person leaves it', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const editor = stage.editor(`echo '[]' > "$1"; exit 1`)
    const screen = stage.inTerminal(['sanitize', stage.folder, '--editor', editor])
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('ended with status 1')
    await screen.sees(MENU)
    screen.type(down, down, enter)
    expect(await screen.ended).toBe(5)
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(stage.files(name)).toEqual(['base_config.json', 'events.json', 'metadata.json'])
  })

  test('goes to the trash where a person says so, is listed there, and comes back repaired', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees(MENU)
    screen.type(down, down, down, enter)
    await screen.sees(`Trashed corrupt conversation ${name}: events.json: trailing comma`)
    expect(await screen.ended).toBe(4)
    const listed = stage.inTerminal(['trash', 'list'])
    await listed.sees(name)
    await listed.sees('rethread')
    expect(await listed.ended).toBe(0)
    const restored = stage.inTerminal(['trash', 'restore', name, '--editor', 'true'])
    await restored.sees('Leave it in the trash')
    expect(restored.text()).not.toContain(MENU)
    restored.type(down, enter)
    expect(await restored.ended, restored.text()).toBe(0)
    expect(JSON.parse(stage.read(name, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS))
  })

  test('stays in the trash where a person leaves it there, and nobody is warned that JP will put it there', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    expect((await stage.alone('sanitize', stage.folder)).status).toBe(4)
    const screen = stage.inTerminal(['trash', 'restore', name])
    await screen.sees('Leave it in the trash')
    screen.type(ctrlD)
    await screen.sees('Kept as is, as you chose. It stays in the trash.')
    expect(await screen.ended).toBe(5)
    expect(stage.names()).toEqual(['.trash'])
  })

  test('Ctrl-C while it is restored leaves it in the trash', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    expect((await stage.alone('sanitize', stage.folder)).status).toBe(4)
    const screen = stage.inTerminal(['trash', 'restore', name])
    await screen.sees('Leave it in the trash')
    screen.type(ctrlC)
    await screen.sees('Interrupted: nothing was changed.')
    expect(await screen.ended).toBe(130)
    expect(stage.names()).toEqual(['.trash'])
  })
})

describe('five of them', () => {
  test('Ctrl-C at the third keeps what was repaired before, and touches nothing else', async () => {
    const stage = makeSanitizeStage()
    const names = ['a', 'b', 'c', 'd', 'e'].map(slug => stage.add(DAMAGED, slug))
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees('5 conversations need your decision:')
    for (const name of names.slice(0, 2)) {
      await screen.sees(`What should be done with ${name}?`)
      await screen.sees('One answer for all')
      screen.type(down, enter)
    }
    await screen.sees(`What should be done with ${names[2]}?`)
    await screen.sees('One answer for all')
    screen.type(ctrlC)
    await screen.sees('Interrupted: what was finished is kept.')
    expect(await screen.ended).toBe(130)
    expect(names.map(name => stage.read(name, 'events.json') === BAD_EVENTS)).toEqual([false, false, true, true, true])
  })

  test('one answer serves all', async () => {
    const stage = makeSanitizeStage()
    const names = ['a', 'b', 'c', 'd', 'e'].map(slug => stage.add(DAMAGED, slug))
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees('One answer for all')
    screen.type(down, down, down, down, enter)
    await screen.sees('Back')
    screen.type(enter)
    await screen.sees('5 repaired')
    expect(await screen.ended).toBe(0)
    for (const name of names) expect(JSON.parse(stage.read(name, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS))
  })

  test('Ctrl-D leaves one out, in a terminal of 40 columns', async () => {
    const stage = makeSanitizeStage()
    const names = ['a', 'b'].map(slug => stage.add(DAMAGED, slug))
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'], { columns: 40 })
    await screen.sees('One answer for all')
    screen.type(ctrlD)
    await screen.sees(`What should be done with ${names[1]}?`)
    await screen.sees(MENU)
    screen.type(down, enter)
    await screen.sees('1 repaired, 1 left damaged')
    expect(await screen.ended).toBe(5)
    expect(names.map(name => stage.read(name, 'events.json') === BAD_EVENTS)).toEqual([true, false])
  })
})

describe('a damaged init_config.json', () => {
  const LOST = { 'init_config.json': '{"delta":' }

  test('a wrong flag is explained, the right ones are shown and written, and filled in the next time', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(LOST)
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees(`Conversation ${name} has a corrupt init_config.json.`)
    await screen.sees('Enter the original flags to rebuild (or press Enter to skip):')
    screen.type('--modle google/x', enter)
    await screen.sees("unknown option '--modle' (Did you mean --model?)")
    await screen.sees('Enter the original flags')
    screen.type(ctrlU, '-m google/x -r high', enter)
    await screen.sees('"provider": "google"')
    await screen.sees('"effort": "high"')
    await screen.sees('Skip')
    screen.type(enter)
    await screen.sees(`Repaired conversation ${name}`)
    expect(await screen.ended).toBe(0)
    const { delta } = JSON.parse(stage.read(name, 'init_config.json'))
    const model = {
      id: { provider: 'google', name: 'x' },
      parameters: { reasoning: { effort: 'high', exclude: false } },
    }
    expect(delta).toEqual({ assistant: { model } })
    expect(JSON.parse(stage.read(name, 'events.json'))[0]).toMatchObject({ type: 'config_delta', delta })

    writeFileSync(join(stage.folder, '.jp', 'conversations', name, 'init_config.json'), '{"delta":')
    const again = stage.inTerminal(['sanitize'])
    await again.sees('-m google/x -r high')
    again.type(ctrlU, enter)
    await again.sees(`Degraded conversation ${name}: loaded without init_config.json overrides`)
    expect(await again.ended).toBe(3)
  })

  test('Enter skips, and the conversation does without', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(LOST)
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees('Enter the original flags')
    screen.type(enter)
    await screen.sees(`Degraded conversation ${name}: loaded without init_config.json overrides`)
    expect(await screen.ended).toBe(3)
  })
})

describe('who is asked', () => {
  test.each([
    ['--non-interactive', {}, ['--non-interactive']],
    ['CI', { CI: '1' }, []],
    ['TERM=dumb', { TERM: 'dumb' }, []],
  ])('with %s nobody, even in a terminal', async (_, env, flags) => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const screen = stage.inTerminal(['sanitize', ...flags], { env })
    await screen.sees(`Trashed corrupt conversation ${name}`)
    expect(await screen.ended).toBe(4)
    expect(screen.text()).not.toContain('What should be done')
  })

  test('the person at the terminal, while the JSON goes into a file', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const out = join(stage.home, 'out.json')
    const script = `"$0" "$@" --json > '${out}' < /dev/null`
    const args = [
      rethreadBin,
      '--home',
      stage.home,
      '--state',
      join(stage.home, 'state'),
      'sanitize',
      '--editor',
      'true',
    ]
    const screen = runInTerminal('sh', ['-c', script, process.execPath, ...args], { folder: stage.folder })
    await screen.sees(MENU)
    screen.type(down, enter)
    await screen.sees(`Repaired conversation ${name}`)
    expect(await screen.ended).toBe(0)
    const report = JSON.parse(readFileSync(out, 'utf8'))
    expect(report).toMatchObject({ conversations: 1, repaired: [{ conversation: name }], isInterrupted: false })
  })
})

describe('without a terminal', () => {
  test('--check says what is wrong and changes nothing', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const { status, stderr, stdout } = await stage.alone('sanitize', stage.folder, '--check', '--json')
    expect(status).toBe(5)
    expect(stderr).toContain(name)
    expect(JSON.parse(stdout)).toMatchObject({ left: [{ conversation: name }], repaired: [] })
    expect(stage.read(name, 'events.json')).toBe(BAD_EVENTS)
    expect(stage.files(name)).toEqual(['base_config.json', 'events.json', 'metadata.json'])
  })

  test('--salvage keeps what can be read, and the report says so on stderr alone', async () => {
    const stage = makeSanitizeStage()
    const name = stage.add(DAMAGED)
    const { status, stderr, stdout } = await stage.alone('sanitize', stage.folder, '--salvage')
    expect(stderr).toContain(`Repaired conversation ${name}: repaired events.json`)
    expect([status, stdout]).toEqual([0, ''])
    expect(JSON.parse(stage.read(name, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS))
  })

  test('much at once is not trashed, unless it is said', async () => {
    const stage = makeSanitizeStage()
    for (const slug of ['a', 'b', 'c', 'd', 'e', 'f']) stage.add(DAMAGED, slug)
    const held = await stage.alone('sanitize', stage.folder)
    expect(held).toMatchObject({ status: 5, stderr: expect.stringContaining('6 left damaged') })
    expect(stage.names()).toHaveLength(6)
    expect((await stage.alone('sanitize', stage.folder, '--force')).status).toBe(4)
    const { trash } = JSON.parse((await stage.alone('trash', 'list', '--dir', stage.folder, '--json')).stdout)
    expect(trash).toHaveLength(6)
    expect(trash[0]).toMatchObject({ agent: 'jp', isOurs: true, error: expect.stringContaining('trailing comma') })
  })

  test('a folder with no workspace, a folder that is not there, and a verb that does not exist', async () => {
    const stage = makeSanitizeStage()
    expect(await stage.alone('sanitize', stage.home)).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('.jp'),
    })
    const missing = await stage.alone('sanitize', join(stage.home, 'nosuch'))
    expect(missing).toMatchObject({ status: 5, stderr: expect.stringContaining('nosuch') })
    expect(await stage.alone('trash', 'empty')).toMatchObject({ status: 2 })
    expect(await stage.alone('trash', 'restore')).toMatchObject({ status: 2 })
  })
})
