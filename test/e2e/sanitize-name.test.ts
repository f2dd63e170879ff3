// A conversation in a folder without an id: the real command, on real files, in a real pseudo-terminal.
import { describe, expect, test } from 'vitest'
import { type Files, putWorkspace, WHOLE } from '../support/jp/store.ts'
import { KEYS } from '../support/pty.ts'
import { BAD_EVENTS, GOOD_EVENTS, makeSanitizeStage, type SanitizeStage } from '../support/sanitize-stage.ts'

const { enter, down, ctrlC, ctrlD, ctrlU } = KEYS
const PROPOSED = '17935272000-price-field-in-the-cart'
const MENU = 'Move it to the trash'

interface NameStage extends SanitizeStage {
  /** A folder of this name. */
  put(name: string, files?: Files): void
}

function makeStage(...names: string[]): NameStage {
  const stage = makeSanitizeStage()
  const put = (name: string, files: Files = {}): void => void putWorkspace(stage.home, { ...WHOLE, ...files }, name)
  for (const name of names) put(name)
  return { ...stage, put }
}

describe('a folder without an id', () => {
  test('the proposed name is shown and taken, its files are repaired with it, and undo takes all of it back', async () => {
    const stage = makeStage()
    stage.put('notes', { 'events.json': BAD_EVENTS, 'base_config.json': undefined })
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees('One conversation needs your decision:')
    await screen.sees('notes: invalid directory name')
    await screen.sees('notes: events.json: trailing comma')
    await screen.sees('The folder notes holds a conversation, but its name does not begin with an id.')
    await screen.sees(`Proposed name: ${PROPOSED}`)
    await screen.sees('the time of its first event and its title')
    await screen.sees('Type another name')
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees(`Conversation ${PROPOSED} has a corrupt events.json.`)
    await screen.sees(MENU)
    screen.type(down, enter)
    // The config is lost, and the flags of the start with it.
    await screen.sees('Enter the original flags to rebuild')
    screen.type(enter)
    await screen.sees(`Repaired conversation ${PROPOSED}: rebuilt base_config.json`)
    await screen.sees(`Repaired conversation ${PROPOSED}: repaired events.json`)
    await screen.sees(`Repaired conversation notes: renamed its folder to ${PROPOSED}`)
    await screen.sees('1 conversation examined: 1 repaired.')
    expect(await screen.ended).toBe(0)
    expect(JSON.parse(stage.read(PROPOSED, 'events.json'))).toEqual(JSON.parse(GOOD_EVENTS))

    expect(await stage.alone('undo', 'jp-c17935272000', '--force')).toMatchObject({ status: 0 })
    expect(stage.names()).toEqual(['notes'])
    expect(stage.read('notes', 'events.json')).toBe(BAD_EVENTS)
  })

  test('another name is typed: a wrong one is explained and asked for again', async () => {
    const stage = makeStage('17935272000-here', 'notes')
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees('Proposed name: 17935272001-price-field-in-the-cart')
    await screen.sees(MENU)
    screen.type(down, enter)
    await screen.sees('Enter its new name (or empty the line to go back):')
    await screen.sees('17935272001-price-field-in-the-cart')
    screen.type(ctrlU, 'my-chat', enter)
    await screen.sees('That cannot be used: A name begins with an id')
    await screen.sees('Enter its new name')
    screen.type(ctrlU, '17935272000-my-chat', enter)
    await screen.sees('That cannot be used: Another conversation has this id: jp-c17935272000')
    await screen.sees('Enter its new name')
    screen.type(ctrlU, '17935272555-my-chat', enter)
    await screen.sees('Repaired conversation notes: renamed its folder to 17935272555-my-chat')
    expect(await screen.ended).toBe(0)
    expect(stage.names()).toEqual(['17935272000-here', '17935272555-my-chat'])
  })

  test('an empty line and Ctrl-D lead back from the name to the menu, where it is left', async () => {
    const stage = makeStage('notes')
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees(MENU)
    for (const keys of [[ctrlU, enter], [ctrlD]]) {
      screen.type(down, enter)
      await screen.sees('Enter its new name')
      screen.type(...keys)
      await screen.sees(MENU)
    }
    screen.type(down, down, enter)
    await screen.sees('Left damaged conversation notes: invalid directory name. Kept as is, as you chose.')
    expect(await screen.ended).toBe(5)
    expect(stage.names()).toEqual(['notes'])
  })

  test('it goes to the trash where a person says so', async () => {
    const stage = makeStage('notes')
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees(MENU)
    screen.type(down, down, down, enter)
    await screen.sees('Trashed corrupt conversation notes: invalid directory name')
    expect(await screen.ended).toBe(4)
    expect(stage.names()).toEqual(['.trash'])
  })

  test('without a terminal it goes to the trash without a question', async () => {
    const stage = makeStage('notes')
    const { status, stderr } = await stage.alone('sanitize', stage.folder)
    expect({ status, stderr }).toMatchObject({ status: 4, stderr: expect.stringContaining('Trashed corrupt') })
  })
})

describe('the keys', () => {
  test.each([
    ['in the menu', []],
    ['while a name is typed', [down, enter]],
  ])('Ctrl-C ends it %s, and nothing is changed', async (_, keys) => {
    const stage = makeStage('notes')
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees(MENU)
    screen.type(...keys)
    if (keys.length > 0) await screen.sees('Enter its new name')
    screen.type(ctrlC)
    await screen.sees('Interrupted: nothing was changed.')
    expect(await screen.ended).toBe(130)
    expect(stage.names()).toEqual(['notes'])
  })

  test('Ctrl-C behind the name leaves the folder as it was: it is not finished', async () => {
    const stage = makeStage()
    stage.put('notes', { 'events.json': BAD_EVENTS })
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees(MENU)
    screen.type(enter)
    await screen.sees('has a corrupt events.json')
    await screen.sees(MENU)
    screen.type(ctrlC)
    await screen.sees('Interrupted: nothing was changed.')
    expect(await screen.ended).toBe(130)
    expect(stage.names()).toEqual(['notes'])
    expect(stage.read('notes', 'events.json')).toBe(BAD_EVENTS)
  })

  test('Ctrl-D leaves one out, in a terminal of 40 columns where no line is wider', async () => {
    const stage = makeStage('a-name-of-many-words-and-no-number-in-it', 'notes')
    const screen = stage.inTerminal(['sanitize'], { columns: 40 })
    await screen.sees('2 conversations need your decision:')
    await screen.sees('What should be done with a-name')
    await screen.sees('One answer for all such folders')
    screen.type(ctrlD)
    await screen.sees('What should be done with notes?')
    await screen.sees(MENU)
    // A path, and a name that is to be copied, are in one piece.
    const lines = screen.lines().filter(line => !line.startsWith('/') && !/^\s*\S+\s*$/.test(line))
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(40)
    screen.type(enter)
    await screen.sees('1 repaired, 1 left damaged')
    expect(await screen.ended).toBe(5)
    expect(stage.names()).toEqual([PROPOSED, 'a-name-of-many-words-and-no-number-in-it'])
  })
})

describe('several of them', () => {
  test('one answer serves all, and none gets the id of another', async () => {
    const stage = makeStage('a', 'b', 'c')
    const screen = stage.inTerminal(['sanitize'])
    await screen.sees('3 conversations need your decision:')
    await screen.sees('One answer for all such folders')
    screen.type(down, down, down, down, enter)
    await screen.sees('For this folder and all others without an id:')
    await screen.sees('Back')
    screen.type(enter)
    await screen.sees('3 repaired')
    expect(await screen.ended).toBe(0)
    expect(stage.names()).toEqual(['0', '1', '2'].map(end => `1793527200${end}-price-field-in-the-cart`))
  })

  test('the answer for all is not for damaged files', async () => {
    const stage = makeStage('a')
    stage.put('b', { 'events.json': BAD_EVENTS })
    const screen = stage.inTerminal(['sanitize', '--editor', 'true'])
    await screen.sees('One answer for all such folders')
    screen.type(down, down, down, down, enter)
    await screen.sees('Back')
    screen.type(enter)
    await screen.sees('has a corrupt events.json')
    await screen.sees(MENU)
    screen.type(down, enter)
    await screen.sees('2 repaired')
    expect(await screen.ended).toBe(0)
  })
})
