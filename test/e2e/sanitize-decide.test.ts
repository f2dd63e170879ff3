// A person decides, in a real pseudo-terminal: with the menus, the editor and the keys, and hand-made problems.
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DecideOrder } from '../support/decide-program.ts'
import { put, temporaryHome } from '../support/home.ts'
import { testProgram } from '../support/package.ts'
import { KEYS, runInTerminal, type Screen } from '../support/pty.ts'

const PROGRAM = testProgram('decide-program')
const { enter, down, ctrlC, ctrlD, ctrlU } = KEYS
const BAD = '[\n  {"a": 1},\n  {"b": 2}!\n]\n'
const GOOD = BAD.replace('!', '')

interface Stage {
  home: string
  screen: Screen
  /** What was decided, once the program has ended. */
  result(): Promise<{ decisions: unknown[]; isStopped: boolean }>
}

function start(
  order: Partial<DecideOrder>,
  more: { columns?: number; env?: Record<string, string>; home?: string } = {},
): Stage {
  const home = more.home ?? temporaryHome()
  const result = join(home, 'result.json')
  const whole: DecideOrder = { state: join(home, 'state'), result, ...order }
  const screen = runInTerminal(process.execPath, [PROGRAM, JSON.stringify(whole)], {
    folder: home,
    ...(more.columns === undefined ? {} : { columns: more.columns }),
    ...(more.env === undefined ? {} : { env: more.env }),
  })
  return {
    home,
    screen,
    async result() {
      expect(await screen.ended, screen.text()).toBe(0)
      return JSON.parse(readFileSync(result, 'utf8'))
    },
  }
}

/** A script in the place of an editor: it gets the file as its last argument. */
function editor(home: string, script: string): string {
  const path = put(home, 'my editor.sh', `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return `'${path}'`
}

const ONE = [{ conversation: '17-chat', text: BAD, suggestion: GOOD }]

describe('a damaged file of events', () => {
  test('the place is shown with the lines around it, the suggested fix as a diff, and can be taken', async () => {
    const { screen, result } = start({ events: ONE })
    await screen.sees('unexpected mark at line 3 column 11')
    await screen.sees(/› 3 │ {3}\{"b": 2\}!\n {4}│ {11}\^\n/)
    await screen.sees('Suggested fix: drop the mark')
    await screen.sees(/- {3}\{"b": 2\}!\n\+ {3}\{"b": 2\}\n/)
    await screen.sees('What should be done with 17-chat?')
    await screen.sees('Move it to the trash')
    screen.type(down, enter)
    expect(await result()).toEqual({
      decisions: [{ type: 'replace', bytes: GOOD, by: 'suggestion' }],
      isStopped: false,
    })
  })

  test('an editor that fixes it on the second try: the menu is shown twice, the first try is kept for the second', async () => {
    const home = temporaryHome()
    const script = `n=$(cat '${home}/rounds' 2>/dev/null | wc -l); echo x >> '${home}/rounds'
if [ "$n" = 0 ]; then sed -i 's/"b"/"c"/' "$1"; else sed -i 's/!//' "$1"; fi`
    const { screen, result } = start({ events: ONE, editor: editor(home, script) }, { home })
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('Still not valid: unexpected mark at line 3 column 11')
    await screen.sees('› 3 │   {"c": 2}!')
    await screen.sees('Move it to the trash')
    screen.type(enter)
    expect((await result()).decisions).toEqual([{ type: 'replace', bytes: GOOD.replace('b', 'c'), by: 'editor' }])
    expect(readdirSync(join(home, 'state', 'edits'))).toEqual([])
  })

  test('an editor that fails: nothing of it is taken, and the menu says why', async () => {
    const home = temporaryHome()
    const { screen, result } = start({ events: ONE, editor: editor(home, `sed -i 's/!//' "$1"; exit 3`) }, { home })
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('ended with status 3')
    await screen.sees('the original is unchanged')
    await screen.sees('Move it to the trash')
    screen.type(down, down, enter)
    expect((await result()).decisions).toEqual([{ type: 'leave' }])
  })

  test('Ctrl-C in the editor is for the editor: the menu comes back', async () => {
    const home = temporaryHome()
    const { screen, result } = start(
      { events: ONE, editor: editor(home, `trap 'exit 7' INT; echo ready; read x`) },
      { home },
    )
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('ready')
    screen.type(ctrlC)
    await screen.sees('ended with status 7')
    await screen.sees('Move it to the trash')
    screen.type(ctrlD)
    expect(await result()).toEqual({ decisions: [{ type: 'leave' }], isStopped: false })
  })

  test('an editor that changes nothing and comes back at once: it is said, with a hint to wait', async () => {
    const { screen, result } = start({ events: ONE, editor: 'true' })
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('Nothing was changed')
    await screen.sees('--wait')
    await screen.sees('Move it to the trash')
    screen.type(down, down, down, enter)
    expect((await result()).decisions).toEqual([{ type: 'trash' }])
  })

  test('what was edited and is not right yet is kept where it is said', async () => {
    const home = temporaryHome()
    const { screen, result } = start({ events: ONE, editor: editor(home, `echo 'more!' >> "$1"`) }, { home })
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('Still not valid')
    await screen.sees('Move it to the trash')
    screen.type(ctrlD)
    await screen.sees(/What you have edited is kept:\s+\S+events\.json/)
    expect((await result()).decisions).toEqual([{ type: 'leave' }])
    const [folder = ''] = readdirSync(join(home, 'state', 'edits'))
    expect(readFileSync(join(home, 'state', 'edits', folder, '17-chat', 'events.json'), 'utf8')).toBe(`${BAD}more!\n`)
  })

  test('where the editor deletes the file, nothing is said to be kept, and no folder stays', async () => {
    const home = temporaryHome()
    const { screen, result } = start({ events: ONE, editor: editor(home, 'rm "$1"') }, { home })
    await screen.sees('Move it to the trash')
    screen.type(enter)
    await screen.sees('The editor left no readable file')
    await screen.sees('Move it to the trash')
    screen.type(ctrlD)
    expect((await result()).decisions).toEqual([{ type: 'leave' }])
    expect(screen.text()).not.toContain('is kept')
    expect(readdirSync(join(home, 'state', 'edits'))).toEqual([])
  })

  test('what was kept by an earlier run can be gone on with, and is gone once it is taken', async () => {
    const home = temporaryHome()
    const first = start({ events: ONE, editor: editor(home, `sed -i 's/"b"/"mine"/' "$1"`) }, { home })
    await first.screen.sees('Move it to the trash')
    expect(first.screen.text()).not.toContain('earlier copy')
    first.screen.type(enter)
    await first.screen.sees('Still not valid')
    await first.screen.sees('Move it to the trash')
    first.screen.type(ctrlC)
    await first.result()
    const second = start({ events: ONE, editor: editor(home, `sed -i 's/!//' "$1"`) }, { home })
    await second.screen.sees(/your earlier copy/)
    await second.screen.sees('Move it to the trash')
    second.screen.type(down, enter)
    expect((await second.result()).decisions).toEqual([
      { type: 'replace', bytes: GOOD.replace('b', 'mine'), by: 'editor' },
    ])
    expect(readdirSync(join(home, 'state', 'edits'))).toEqual([])
  })

  test('a copy of a run that was killed before anything was typed into it is removed, and not offered', async () => {
    const home = temporaryHome()
    const waiting = editor(home, 'echo ready; exec sleep 1000')
    const first = start({ events: ONE, editor: waiting }, { home })
    await first.screen.sees('Move it to the trash')
    first.screen.type(enter)
    await first.screen.sees('ready')
    first.screen.kill('SIGKILL')
    await first.screen.ended
    expect(readdirSync(join(home, 'state', 'edits'))).toHaveLength(1)
    const second = start({ events: ONE, editor: waiting }, { home })
    await second.screen.sees('Move it to the trash')
    expect(second.screen.text()).not.toContain('earlier copy')
    second.screen.type(ctrlD)
    await second.result()
    expect(readdirSync(join(home, 'state', 'edits'))).toEqual([])
  })

  test('where no editor is found, there is no such choice', async () => {
    const { screen, result } = start({ events: ONE, editor: 'nosuch-editor --wait' }, { env: { PATH: '/nowhere' } })
    await screen.sees('--editor (nosuch-editor --wait) cannot be used: the program nosuch-editor was not found')
    await screen.sees('Apply the suggested fix')
    await screen.sees('Move it to the trash')
    expect(screen.text()).not.toContain('Edit a copy')
    screen.type(down, enter)
    expect((await result()).decisions).toEqual([{ type: 'leave' }])
  })

  test('a variable that names no program gives way to the next', async () => {
    const home = temporaryHome()
    const env = { VISUAL: 'nosuch-editor', EDITOR: `sh -c 'sed -i "s/!//" "$1"' --` }
    const { screen, result } = start({ events: ONE }, { home, env })
    await screen.sees('$VISUAL (nosuch-editor) cannot be used')
    await screen.sees('Move it to the trash')
    screen.type(enter)
    expect((await result()).decisions).toEqual([{ type: 'replace', bytes: GOOD, by: 'editor' }])
  })

  test('escape sequences in the file do not reach the terminal', async () => {
    const text = '[\n"\u001b]0;owned\u0007\u001b[2J\u202e"!\n]\n'
    const { screen, result } = start({ events: [{ conversation: '17-\u001b[31mred', text }] })
    await screen.sees('"␛]0;owned␇␛[2J\ufffd"!')
    await screen.sees('17-␛[31mred')
    await screen.sees('Move it to the trash')
    screen.type(ctrlD)
    await result()
  })
})

test('a conversation that is damaged in two storages is one', async () => {
  const { screen, result } = start({ events: ONE, flags: [{ conversation: '17-chat' }] })
  await screen.sees('One conversation needs your decision:')
  await screen.sees('Enter the original flags')
  screen.type(ctrlC)
  expect((await result()).isStopped).toBe(true)
})

describe('several of them', () => {
  const many = [1, 2, 3, 4, 5].map(number => ({ conversation: `1${number}-chat`, text: BAD, suggestion: GOOD }))

  test('all are listed first, and Ctrl-C at the third keeps what was decided for the first two', async () => {
    const { screen, result } = start({ events: many })
    await screen.sees('5 conversations need your decision:')
    for (const { conversation } of many) await screen.sees(`${conversation}: unexpected mark`)
    for (const conversation of ['11-chat', '12-chat']) {
      await screen.sees(`What should be done with ${conversation}?`)
      await screen.sees('One answer for all')
      screen.type(down, enter)
    }
    await screen.sees('What should be done with 13-chat?')
    await screen.sees('One answer for all')
    screen.type(ctrlC)
    const { decisions, isStopped } = await result()
    expect(decisions).toMatchObject([{ type: 'replace' }, { type: 'replace' }])
    expect(isStopped).toBe(true)
  })

  test('one answer serves all that follow, and asks where it cannot be followed', async () => {
    const events = many.map((one, index) => (index === 3 ? { conversation: one.conversation, text: one.text } : one))
    const { screen, result } = start({ events })
    await screen.sees('One answer for all')
    screen.type(down, enter)
    await screen.sees('What should be done with 12-chat?')
    await screen.sees('One answer for all')
    screen.type(down, down, down, down, enter)
    await screen.sees('For this one and all that follow')
    await screen.sees('Back')
    screen.type(enter)
    await screen.sees('What should be done with 14-chat?')
    await screen.sees('One answer for all')
    expect(screen.text()).not.toContain('What should be done with 13-chat?')
    screen.type(down, down, enter)
    const { decisions } = await result()
    expect(decisions.map(decision => Object(decision).type)).toEqual([
      'replace',
      'replace',
      'replace',
      'trash',
      'replace',
    ])
  })

  test('Ctrl-D leaves one out and goes on', async () => {
    const { screen, result } = start({ events: many.slice(0, 2) })
    await screen.sees('One answer for all')
    screen.type(ctrlD)
    await screen.sees('What should be done with 12-chat?')
    await screen.sees('Move it to the trash')
    screen.type(down, enter)
    expect((await result()).decisions).toMatchObject([{ type: 'leave' }, { type: 'replace' }])
  })
})

describe('a narrow terminal', () => {
  test('at 40 columns no line is wider, and the place stays visible in a line of any length', async () => {
    const text = `[\n${JSON.stringify({ long: 'x'.repeat(3000) })}!,${JSON.stringify({ more: 'y'.repeat(3000) })}\n]\n`
    const { screen, result } = start(
      { events: [{ conversation: '17636257526-a-title-of-many-words', text }] },
      { columns: 40 },
    )
    await screen.sees('One conversation needs your decision')
    await screen.sees(/› 2 │ …x+"\}!,/)
    await screen.sees('Move it to the trash')
    // The path alone is in one piece, so that it can be copied.
    const lines = screen
      .text()
      .split('\n')
      .filter(line => !line.startsWith('/store/'))
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(40)
    screen.type(down, enter)
    expect((await result()).decisions).toEqual([{ type: 'leave' }])
  })
})

describe('the flags of the first call', () => {
  const flags = [{ conversation: '17-chat' }]

  test('a wrong one is explained and asked for again; what the right one means is shown before it is taken', async () => {
    const { screen, result } = start({ flags })
    await screen.sees('Conversation 17-chat has a corrupt init.json.')
    await screen.sees('Enter the original flags to rebuild (or press Enter to skip):')
    screen.type('--modle x', enter)
    await screen.sees('These flags cannot be used: unknown option --modle x')
    await screen.sees('Enter the original flags')
    screen.type(ctrlU, '-m google', enter)
    await screen.sees('"model": "google"')
    await screen.sees('a note')
    await screen.sees('Skip')
    screen.type(enter)
    const result2 = { type: 'delta', argv: ['-m', 'google'], delta: { model: 'google' }, notes: ['a note'] }
    expect((await result()).decisions).toEqual([{ type: 'flags', result: result2 }])
  })

  test('Enter skips', async () => {
    const { screen, result } = start({ flags })
    await screen.sees('Enter the original flags')
    screen.type(enter)
    expect((await result()).decisions).toEqual([{ type: 'skip' }])
  })

  test('what was remembered is filled in', async () => {
    const { screen, result } = start({ flags: [{ conversation: '17-chat', remembered: '-m google' }] })
    await screen.sees('empty the line and press Enter to skip')
    await screen.sees('-m google')
    screen.type(enter)
    await screen.sees('Write them')
    await screen.sees('Skip')
    screen.type(enter)
    expect((await result()).decisions).toMatchObject([{ type: 'flags', result: { delta: { model: 'google' } } }])
  })

  test('Ctrl-C stops', async () => {
    const { screen, result } = start({ flags, events: ONE })
    await screen.sees('Enter the original flags')
    screen.type(ctrlC)
    expect(await result()).toEqual({ decisions: [], isStopped: true })
  })
})

test('much is not trashed at once without a yes', async () => {
  const { screen, result } = start({ trashMany: [6, 20] })
  await screen.sees('6 of 20 conversations')
  await screen.sees('Yes, all 6')
  screen.type(enter)
  expect((await result()).decisions).toEqual([false])
})
