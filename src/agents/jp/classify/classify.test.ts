// Each condition of a file, made for real and reported. Nothing is changed, followed or waited for.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { BASE, EVENTS_FIXTURE, type Files, putConversation, WHOLE } from '../../../../test/support/jp/store.ts'
import { injectFiles, nodeFiles } from '../../../disk/files/system-calls.ts'
import { folderAt } from '../conversations.ts'
import { classifyCopy, damagedFiles } from './index.ts'

const TURN = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'

function classify(files: Files, name?: string) {
  const folder = putConversation(temporaryHome(), { ...WHOLE, ...files }, name)
  return classifyCopy(folderAt(folder, 'conversations'))
}

function judged(files: Files, file: 'metadata.json' | 'base_config.json' | 'init_config.json' | 'events.json') {
  const { files: states, judgement } = classify(files)
  return [states[file].condition.type, judgement.type, 'error' in judgement ? judgement.error : undefined]
}

const SKIPPED = Buffer.from(
  `{"a":["\xff","\\ud800",1e999,${'['.repeat(200)}${']'.repeat(200)}],"last_activated_at":"2026-02-03 10:00:00.0"}`,
  'latin1',
)
const LABELS = '{"last_activated_at":"2026-02-03 10:00:00.0","labels":{"a":1,"a":"b"}}'

describe('metadata.json', () => {
  test.each([
    ['whole', undefined, ['healthy', 'loads', undefined]],
    ['empty', '', ['empty', 'trashed', 'metadata.json: EOF while parsing a value at line 1 column 0']],
    ['blank', ' \n\n', ['empty', 'trashed', 'metadata.json: EOF while parsing a value at line 3 column 0']],
    ['cut', '{"title":"a', ['truncated', 'trashed', 'metadata.json: EOF while parsing a string at line 1 column 11']],
    ['marked', '\ufeff{}', ['invalid-json', 'trashed', 'metadata.json: expected value at line 1 column 1']],
    ['null', 'null', ['wrong-shape', 'locked-out', undefined]],
    ['a list', '[]', ['wrong-shape', 'locked-out', undefined]],
    ['without a time', '{"title":"a"}', ['wrong-shape', 'locked-out', undefined]],
    ['with a wrong time', '{"last_activated_at":"2026-02-30 10:00:00.0"}', ['wrong-shape', 'locked-out', undefined]],
    ['with an RFC 3339 time', '{"last_activated_at":"2026-02-03T10:00:00+01:00"}', ['healthy', 'loads', undefined]],
    ['no characters', Buffer.from('{"title":"\xff"}', 'latin1'), ['invalid-utf8', 'locked-out', undefined]],
    ['no characters in a key', Buffer.from('{"\xff":1}', 'latin1'), ['invalid-utf8', 'locked-out', undefined]],
    ['half a character', '{"title":"\\ud800"}', ['lone-surrogate', 'locked-out', undefined]],
    ['too deep', `${'['.repeat(200)}${']'.repeat(200)}`, ['too-deep', 'locked-out', undefined]],
    ['beyond all numbers', '{"title":1e999}', ['number-out-of-range', 'locked-out', undefined]],
    ['all of it in a member that JP skips', SKIPPED, ['healthy', 'loads', undefined]],
    ['two labels of one name, one of them wrong', LABELS, ['wrong-shape', 'locked-out', undefined]],
  ])('%s', (_, content, wanted) => {
    const files = content === undefined ? {} : { 'metadata.json': content }
    expect(judged(files, 'metadata.json')).toEqual(wanted)
  })
})

describe('base_config.json', () => {
  test.each([
    ['smallest', BASE, 'healthy', 'loads'],
    ['an alias for the model', { ...BASE, assistant: { model: { id: 'opus' } } }, 'healthy', 'loads'],
    ['empty object', {}, 'wrong-shape', 'locked-out'],
    ['a list', [], 'wrong-shape', 'locked-out'],
    [
      'a leaf of an earlier type',
      { ...BASE, style: { typewriter: { text_delay: { secs: 0, nanos: 3 } } } },
      'healthy',
      'loads',
    ],
    [
      'a tool with an unknown way to run',
      { ...BASE, conversation: { tools: { '*': { run: 'never' } } } },
      'wrong-shape',
      'locked-out',
    ],
    [
      'tools that say how they are merged, where JP takes value for a tool',
      { ...BASE, conversation: { tools: { value: { '*': { run: 'ask' } }, strategy: 'replace' } } },
      'wrong-shape',
      'locked-out',
    ],
    ['base and init', { base: BASE, init: [] }, 'wrong-shape', 'locked-out'],
    ['cut', '{"assistant":', 'truncated', 'trashed'],
    ['missing', undefined, 'missing', 'locked-out'],
  ])('%s', (_, content, state, judgement) => {
    expect(judged({ 'base_config.json': content }, 'base_config.json').slice(0, 2)).toEqual([state, judgement])
  })
})

test('the config in the first event of an older layout may have values of earlier types, but not lack what is required', () => {
  const old = { ...BASE, style: { typewriter: { text_delay: { secs: 0, nanos: 0 } } } }
  const judge = (delta: object) =>
    classify({
      'base_config.json': undefined,
      'events.json': [{ type: 'config_delta', timestamp: '2026-01-02 23:36:11.839424', delta }],
    })
  expect(judge(old)).toMatchObject({ layout: 'legacy', judgement: { type: 'loads' } })
  expect(judge({ style: {} })).toMatchObject({
    layout: 'legacy',
    judgement: { type: 'locked-out', file: 'events.json' },
  })
})

test('init_config.json is read by no JP, so a fault in it is damage but not a lock-out', () => {
  const broken = classify({ 'init_config.json': '{' })
  expect(broken.judgement.type).toBe('loads')
  expect(damagedFiles(broken).map(({ file }) => file)).toEqual(['init_config.json'])
  expect(damagedFiles(classify({ 'init_config.json': [{ delta: {} }] }))).toEqual([])
})

describe('events.json', () => {
  test.each([
    ['whole', EVENTS_FIXTURE, 'healthy', 'loads', undefined],
    ['with unknown types', `[{"timestamp":null,"type":"x","constructor":1}]`, 'healthy', 'loads', undefined],
    [
      'a comma too many',
      `[${TURN},]`,
      'invalid-json',
      'trashed',
      `events.json: trailing comma at line 1 column ${TURN.length + 3}`,
    ],
    [
      'cut',
      `[${TURN},{"ti`,
      'truncated',
      'trashed',
      `events.json: EOF while parsing a string at line 1 column ${TURN.length + 6}`,
    ],
    [
      'NULs behind it',
      `[${TURN}]\0\0`,
      'invalid-json',
      'trashed',
      `events.json: trailing characters at line 1 column ${TURN.length + 3}`,
    ],
    [
      'one type twice',
      '[{"timestamp":1,"type":"a","type":"b"}]',
      'invalid-json',
      'trashed',
      'events.json: duplicate field `type` at line 1 column 33',
    ],
    ['an object', '{}', 'wrong-shape', 'trashed', 'events.json: should be an array of events'],
    ['an event without a type', '[{"timestamp":1}]', 'wrong-shape', 'trashed', 'events.json: [0].type is missing'],
    ['a pair for an event', '[[1,2]]', 'healthy', 'loads', undefined],
    [
      'null for a text',
      '[{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":null}]',
      'wrong-shape',
      'locked-out',
      undefined,
    ],
    [
      'two answers in one',
      '[{"timestamp":"2026-11-01 10:00:00.0","type":"chat_response","message":"a","data":1}]',
      'healthy',
      'loads',
      undefined,
    ],
    [
      'no characters',
      Buffer.concat([
        Buffer.from('[{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":"'),
        Buffer.from([0xff]),
        Buffer.from('"}]'),
      ]),
      'invalid-utf8',
      'locked-out',
      undefined,
    ],
    ['missing', undefined, 'missing', 'trashed', 'missing events.json'],
  ])('%s', (_, content, state, judgement, error) => {
    expect(judged({ 'events.json': content }, 'events.json')).toEqual([state, judgement, error])
  })

  test('the place of each bad event is reported, and the list is bounded', () => {
    const bad = '{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request"}'
    const { condition } = classify({ 'events.json': `[${TURN},${bad}]` }).files['events.json']
    expect(condition).toMatchObject({
      faults: [
        { path: '[1].content', element: { index: 1, start: TURN.length + 2, end: TURN.length + 2 + bad.length } },
      ],
      more: 0,
    })
    const many = classify({ 'events.json': `[${Array.from({ length: 150 }, () => bad).join()}]` }).files['events.json']
    expect(many.condition).toMatchObject({ more: 50 })
  })
})

describe('what is not a regular file', () => {
  const make = (
    place: (path: string, home: string) => void,
    file: 'metadata.json' | 'events.json' = 'metadata.json',
  ) => {
    const home = temporaryHome()
    const folder = putConversation(home)
    rmSync(join(folder, file))
    place(join(folder, file), home)
    return classifyCopy(folderAt(folder, 'conversations')).files[file]
  }

  test('a folder', () => {
    expect(make(path => mkdirSync(path)).condition).toEqual({ type: 'is-a-directory' })
  })

  test.skipIf(process.platform === 'win32')('a pipe is not opened, and nothing waits for it', () => {
    expect(make(path => execFileSync('mkfifo', [path])).condition).toEqual({ type: 'not-a-regular-file', kind: 'fifo' })
  })

  test.skipIf(process.platform === 'win32')('a socket', async () => {
    const home = temporaryHome()
    const folder = putConversation(home, WHOLE, '1')
    const server = createServer()
    rmSync(join(folder, 'metadata.json'))
    // The path of a socket has at most 107 bytes where it is made.
    const short = join(home, 'socket')
    await new Promise<void>(resolve => server.listen(short, resolve))
    renameSync(short, join(folder, 'metadata.json'))
    onTestFinished(() => void server.close())
    const { condition } = classifyCopy(folderAt(folder, 'conversations')).files['metadata.json']
    expect(condition).toEqual({ type: 'not-a-regular-file', kind: 'socket' })
  })

  test('a link to nothing', () => {
    expect(make(path => symlinkSync('gone', path)).condition).toEqual({ type: 'link-dangling', target: 'gone' })
  })

  test('a link to a good file of the same root is healthy, and reported', () => {
    const state = make(path => {
      writeFileSync(join(path, '..', 'real.json'), EVENTS_FIXTURE)
      symlinkSync('real.json', path)
    }, 'events.json')
    expect(state).toMatchObject({ condition: { type: 'healthy' }, linkTarget: 'real.json' })
  })

  test('a link to a bad file of the same root', () => {
    const state = make(path => {
      writeFileSync(join(path, '..', 'real.json'), '{')
      symlinkSync('real.json', path)
    })
    expect(state.condition).toMatchObject({ type: 'link-to-bad', found: { type: 'truncated' } })
  })

  test('a link out of the root is followed to what JP can load, and to nothing else', () => {
    const outside = join(temporaryHome(), 'other.json')
    writeFileSync(outside, JSON.stringify({ last_activated_at: '2026-11-01 10:00:00.0' }))
    const healthy = { condition: { type: 'healthy' }, linkTarget: outside }
    expect(make(path => symlinkSync(outside, path))).toMatchObject(healthy)
    writeFileSync(outside, '{"secret":1}')
    expect(make(path => symlinkSync(outside, path)).condition).toMatchObject({ type: 'link-outside', target: outside })
  })

  test('links in a circle', () => {
    expect(make(path => symlinkSync(path, path)).condition).toMatchObject({
      type: 'blocked',
      code: 'not-a-regular-file',
    })
  })
})

test.each([
  ['EACCES', 'permission-denied'],
  ['EIO', 'io-error'],
  ['EMFILE', 'too-many-open-files'],
])('%s says nothing about the file: it is blocked, and no reason to change anything', (code, wanted) => {
  const refuse = () => {
    throw Object.assign(new Error(code), { code })
  }
  const restore = injectFiles({
    ...nodeFiles,
    openPlain: path => (path.endsWith('events.json') ? refuse() : nodeFiles.openPlain(path)),
  })
  onTestFinished(restore)
  const { files, judgement } = classify({})
  expect(files['events.json'].condition).toMatchObject({ type: 'blocked', code: wanted })
  expect(judgement.type).toBe('blocked')
})

test.each([
  ['17935272000-x', 'canonical', 'loads'],
  ['017935272000-x', 'noncanonical', 'locked-out'],
  ['+17935272000', 'noncanonical', 'locked-out'],
  ['notes', 'unparseable', 'trashed'],
  ['99999999999-x', 'unparseable', 'trashed'],
])('the folder %s has a name that is %s', (name, parsed, judgement) => {
  const copy = classify({}, name)
  expect([copy.folder.parsed.type, copy.judgement.type]).toEqual([parsed, judgement])
})

test('each file is opened once, and nothing is changed', () => {
  const folder = putConversation(temporaryHome(), {
    ...WHOLE,
    'init_config.json': '[',
    'metadata.corrupted.1.json': 'x',
  })
  const before = snapshot(folder)
  const opened: string[] = []
  const restore = injectFiles({
    ...nodeFiles,
    openPlain(path) {
      opened.push(path)
      return nodeFiles.openPlain(path)
    },
  })
  onTestFinished(restore)
  classifyCopy(folderAt(folder, 'conversations'))
  expect(opened).toHaveLength(4)
  expect(new Set(opened).size).toBe(4)
  expect(snapshot(folder)).toEqual(before)
})

function snapshot(folder: string): string[] {
  return readdirSync(folder).map(name => {
    const path = join(folder, name)
    return `${name} ${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`
  })
}
