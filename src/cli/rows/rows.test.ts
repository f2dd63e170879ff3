import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { contextFor } from '../../catalog/context.ts'
import { makeLog } from '../../catalog/log.ts'
import { SUMMARIES } from '../../catalog/summaries-table.ts'
import { changeLabels } from '../../disk/state/labels.ts'
import { openCacheTable } from '../../disk/state/state.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { Invocation } from '../command.ts'
import { checkKnown, rowsOfCheck } from './check.ts'
import { findKnown } from './known.ts'
import { listKnown, rowsOfList } from './list.ts'

const OLD = 1_700_000_000
const PROJECTS = '.claude/projects/shop'

interface Place {
  home: string
  state: string
  project: string
}

let place: Place

function idOf(number: number): string {
  return `a0000000-0000-4000-8000-00000000000${number}`
}

function fileOf(number: number): string {
  return join(place.home, PROJECTS, `${idOf(number)}.jsonl`)
}

/** Both sessions of a number have the same length. */
function sessionText(number: number, isBroken: boolean): string {
  const uuid = (record: number): string => `b0000000-0000-4000-8000-00000000000${record}`
  const base = { sessionId: idOf(number), cwd: place.project, version: '2.1.0', isSidechain: false }
  const at = (second: number): string => new Date((OLD + number * 60 + second) * 1000).toISOString()
  const assistant = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }
  return lines(
    {
      ...base,
      type: 'user',
      uuid: uuid(1),
      parentUuid: null,
      timestamp: at(1),
      message: { role: 'user', content: 'Go' },
    },
    {
      ...base,
      type: 'assistant',
      uuid: uuid(2),
      parentUuid: uuid(isBroken ? 9 : 1),
      timestamp: at(2),
      message: assistant,
    },
    {
      ...base,
      type: 'user',
      uuid: uuid(3),
      parentUuid: uuid(2),
      timestamp: at(3),
      message: { role: 'user', content: 'On' },
    },
  )
}

function write(number: number, isBroken = false): void {
  put(place.home, `${PROJECTS}/${idOf(number)}.jsonl`, sessionText(number, isBroken))
  utimesSync(fileOf(number), OLD + number, OLD + number)
}

const commands = { check: checkKnown, list: listKnown }
const rowsOf = { check: rowsOfCheck, list: rowsOfList }
type Command = keyof typeof commands

function contextWith(state: string) {
  const places = {
    environment: environmentOf(place.home),
    state,
    journal: join(state, 'journal.db'),
    archive: join(state, 'archive'),
  }
  return contextFor(places, makeLog(state))
}

async function run(command: Command, state = place.state): Promise<string> {
  const chunks: Buffer[] = []
  const context = contextWith(state)
  const invocation: Invocation = {
    args: [],
    options: {},
    isJson: true,
    token: undefined,
    context: async () => context,
    output: {
      isTerminal: false,
      columns: 80,
      write: async text => void chunks.push(Buffer.from(text)),
      writeBytes: async bytes => void chunks.push(Buffer.from(bytes)),
      remark() {},
      style: (_, text) => text,
    },
  }
  await commands[command](invocation, context, { limit: 0, subagents: true })
  return Buffer.concat(chunks).toString()
}

/** As after a first run, but empty. */
function makeTables(state: string): void {
  openVerdicts(state).close()
  openCacheTable(state, SUMMARIES).close()
}

/** What is printed where nothing was ever known. */
async function runFresh(command: Command): Promise<string> {
  const state = temporaryHome()
  makeTables(state)
  if (command === 'list') await run('check', state)
  return await run(command, state)
}

function withoutStatus(text: string): unknown {
  return JSON.parse(text, (key, value) => (key === 'status' ? undefined : value))
}

/** The ids of the sessions that have no row. */
async function missing(command: Command): Promise<string[]> {
  const verdicts = openVerdicts(place.state)
  const context = contextWith(place.state)
  const known = await findKnown(context, rowsOf[command](context), verdicts)
  known?.file?.close()
  verdicts.close()
  return known?.sessions.map(({ sessionId }) => sessionId).sort() ?? []
}

beforeEach(() => {
  const home = temporaryHome()
  place = { home, state: join(home, 'state'), project: join(home, 'shop') }
  mkdirSync(place.project)
  makeTables(place.state)
  for (const number of [1, 2, 3, 4]) write(number)
})

/** Until every row is kept: the first run checks, the second keeps what is cached. */
async function settle(command: Command): Promise<void> {
  await run('check')
  for (let times = 0; times < 2; times++) await run(command)
}

const changes: [string, () => void][] = [
  ['a file that grew', () => appendFileSync(fileOf(2), lines({ type: 'summary', summary: 'A title', leafUuid: 'x' }))],
  ['a file with another time alone', () => utimesSync(fileOf(2), OLD + 500, OLD + 500)],
  [
    'a file that was replaced by one of the same size and time',
    () => {
      const { atimeMs, mtimeMs } = statSync(fileOf(2))
      writeFileSync(`${fileOf(2)}.new`, sessionText(2, true))
      utimesSync(`${fileOf(2)}.new`, atimeMs / 1000, mtimeMs / 1000)
      renameSync(`${fileOf(2)}.new`, fileOf(2))
    },
  ],
  [
    'a file that was edited in place, with its size and time put back',
    () => {
      const { atimeMs, mtimeMs } = statSync(fileOf(2))
      writeFileSync(fileOf(2), sessionText(2, true))
      utimesSync(fileOf(2), atimeMs / 1000, mtimeMs / 1000)
    },
  ],
]

describe.each(['check', 'list'] as const)('%s', command => {
  test('rows of unchanged sessions are known, and printed as they were', async () => {
    await settle(command)
    expect(await missing(command)).toEqual([])
    expect(await run(command)).toBe(await runFresh(command))
  })

  test.each(changes)('%s is the only one that is not known', async (_, change) => {
    await settle(command)
    change()
    expect(await missing(command)).toEqual([idOf(2)])
    // A list tells the status of the last check, which is over.
    if (command === 'check') expect(await run(command)).toBe(await runFresh(command))
    else expect(withoutStatus(await run(command))).toEqual(withoutStatus(await runFresh(command)))
    await run('check')
    expect(await run(command)).toBe(await runFresh(command))
    await settle(command)
    expect(await missing(command)).toEqual([])
    expect(await run(command)).toBe(await runFresh(command))
  })

  test('sessions that are new, gone, or links are as they are now', async () => {
    await settle(command)
    write(5)
    rmSync(fileOf(1))
    copyFileSync(fileOf(3), join(place.home, 'elsewhere.jsonl'))
    await run('check')
    expect(await run(command)).toBe(await runFresh(command))
    expect(await run(command)).toContain(idOf(5))
    expect(await run(command)).not.toContain(idOf(1))
  })

  test('a project folder that is removed or created again changes the rows of its sessions', async () => {
    await settle(command)
    rmSync(place.project, { recursive: true })
    expect(await missing(command)).toHaveLength(4)
    expect(await run(command)).toContain('project-folder-gone')
    await run(command)
    expect(await missing(command)).toEqual([])
    mkdirSync(place.project)
    expect(await run(command)).not.toContain('project-folder-gone')
  })

  test('a file beside the sessions that a check read makes their rows unknown', async () => {
    await settle(command)
    put(place.home, `${PROJECTS}/sessions-index.json`, '{"version":1,"entries":[]}')
    expect(await missing(command)).toHaveLength(4)
    await settle(command)
    expect(await missing(command)).toEqual([])
    rmSync(join(place.home, PROJECTS, 'sessions-index.json'))
    expect(await missing(command)).toHaveLength(4)
  })

  test('a verdict that was removed or set by another process makes its row unknown', async () => {
    await settle(command)
    const verdicts = openVerdicts(place.state)
    verdicts.invalidate({ agent: 'claude-code', sessionId: idOf(3), filePath: fileOf(3) })
    verdicts.close()
    expect(await missing(command)).toEqual([idOf(3)])
  })

  test('damaged rows are never printed', async () => {
    await settle(command)
    const fine = await run(command)
    for (const name of readdirSync(join(place.state, 'rows'))) {
      const path = join(place.state, 'rows', name)
      const bytes = readFileSync(path)
      for (let at = 0; at < bytes.length; at += 97) {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ 0x01
        writeFileSync(path, at % 2 === 0 ? damaged : bytes.subarray(0, at))
        expect(await run(command)).toBe(fine)
      }
    }
  })
})

test('a verdict that another process removes while rows are compared counts as changed for the rows kept now', async () => {
  await settle('check')
  const session = { agent: 'claude-code', sessionId: idOf(3), filePath: fileOf(3) }
  const verdicts = openVerdicts(place.state)
  const context = contextWith(place.state)
  const known = await findKnown(context, rowsOfCheck(context), {
    mark: verdicts.mark,
    changedSince(mark) {
      const changed = verdicts.changedSince(mark)
      verdicts.invalidate(session)
      return changed
    },
  })
  known?.file?.close()
  expect(verdicts.changedSince(known?.mark ?? '')).toEqual([session])
  verdicts.close()
})

test('a label is printed at once, and its row is made each time', async () => {
  await settle('list')
  changeLabels(place.state, [{ agent: 'claude-code', sessionId: idOf(4) }], { name: 'Cart' })
  expect(await run('list')).toContain('"title": "Cart"')
  changeLabels(place.state, [{ agent: 'claude-code', sessionId: idOf(4) }], { isHidden: true })
  const text = await run('list')
  expect(text).not.toContain(idOf(4))
  expect(JSON.parse(text)).toMatchObject({ hidden: 1 })
})

test('files without a conversation stay counted', async () => {
  put(place.home, `${PROJECTS}/${idOf(6)}.jsonl`, lines({ type: 'summary', summary: 'A title', leafUuid: 'x' }))
  await settle('list')
  expect(await missing('list')).toEqual([])
  expect(JSON.parse(await run('list'))).toMatchObject({ withoutConversation: 1 })
})
