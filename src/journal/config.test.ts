import { expect, test } from 'vitest'
import { RethreadError } from '../model/errors.ts'
import { defaultConfig, parseConfig } from './config.ts'

const PATH = '/home/somebody/config.json'

test('without anything in it, the defaults', () => {
  expect(parseConfig('{}', PATH)).toEqual(defaultConfig())
  expect(defaultConfig()).toEqual({
    synchronous: 'normal',
    allowed_folders: [],
    replay_max_events: 50,
    replay_max_chars: 12_000,
    agents: {},
    archive: {},
  })
})

test('an agent needs a command and nothing else', () => {
  const agents = { 'my-agent': { command: 'my-agent' }, other: { command: 'x', args: ['--acp'], env: { A: 'b' } } }
  expect(parseConfig(JSON.stringify({ agents, replay_max_events: 7 }), PATH)).toMatchObject({
    replay_max_events: 7,
    agents: { 'my-agent': { command: 'my-agent', args: [], env: {} }, other: { args: ['--acp'], env: { A: 'b' } } },
  })
})

test.each([
  ['{\n  "journl": "x"\n}', 2, 'journl: unknown key'],
  ['{\n\n  "replay_max_chars": 0\n}', 3, 'replay_max_chars'],
  ['{"synchronous": "off"}', 1, 'synchronous'],
  ['{\n "agents": {\n  "a": {\n   "args": "x",\n   "command": "a"\n  }\n }\n}', 4, 'agents.a.args'],
  ['{\n "agents": {\n  "a": {}\n }\n}', 3, 'agents.a.command'],
  ['{\n "agents": {\n  "My Agent": { "command": "x" }\n }\n}', 3, 'agents.My Agent: a name consists'],
  ['{\n  "journal": "x",\n}', 3, 'not valid JSON'],
  ['{\n  "journal" "x"\n}', 2, 'not valid JSON'],
  ['{\n  "journal": x\n}', 2, 'not valid JSON'],
  ['{\n  "journal": "x"', 2, 'not valid JSON'],
  ['[]', 1, 'as a whole'],
])('%j is refused with the line and the key', (text, line, what) => {
  const error = thrownBy(() => parseConfig(text, PATH))
  expect(error).toMatchObject({ code: 'usage', path: PATH, hint: expect.stringContaining(PATH) })
  expect(error.message).toContain(`${PATH} (line ${line}) `)
  expect(error.message).toContain(what)
})

function thrownBy(step: () => unknown): RethreadError {
  try {
    step()
  } catch (error) {
    if (error instanceof RethreadError) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}
