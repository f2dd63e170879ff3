// What every agent must do with a session that is whole, cut, flipped, growing, gone, locked away, empty, replaced or huge.
// A variant passes a factory, and for what it cannot do a reason.
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { agents } from '../../src/agents/index.ts'
import type { ReadOptions } from '../../src/agents/store.ts'
import { injectFiles, nodeFiles } from '../../src/disk/files/system-calls.ts'
import { RethreadError } from '../../src/model/errors.ts'
import { collect, isPartial } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { inFull } from './full.ts'
import { environmentOf, temporaryHome } from './home.ts'
import { measureReading } from './memory.ts'
import { discoverAll, findSession, readFrom, said } from './reading.ts'

export interface MadeSession {
  sessionId: string
  /** The file that holds the conversation and that is damaged in the tests. */
  file: string
  /** How many messages of the conversation (user, assistant, tool) it holds. */
  messages: number
}

export interface ConformanceCase {
  /** Named in the test titles: the agent and the store. */
  name: string
  agent: Agent
  /** The name of the store that is tested. */
  store: string
  /** Puts one small complete session into an empty home. */
  make(home: string): MadeSession
  /** The bytes that the agent would append for one more message; absent where the store is rewritten as a whole. */
  growth?: (made: MadeSession) => Buffer
  /** Puts one session of at least `bytes` into an empty home. */
  makeLarge(home: string, bytes: number): MadeSession
  /** How large, where it is not as large as the others. */
  large?: { bytes: number; reason: string }
  /**
   * What a cut leaves: `prefix`, the conversation up to the cut; `subset`, all but the parts that were in the cut file; `error-or-all`, for a
   * database, an honest error or everything.
   */
  afterCut: 'prefix' | 'subset' | 'error-or-all'
  skips?: { test: string; reason: string }[]
}

const LARGE_BYTES = inFull(300, 32) * 1024 * 1024
/** What a process may grow by while it reads the large session: the same for one of several GB. */
export const MEMORY_BOUND_BYTES = inFull(280, 104) * 1024 * 1024
const FLIPS = inFull(300, 40)
/** At every byte in `npm run test:full`, at every n-th in every run. A database is read in pages: every place in a page still gets its turn. */
const CUT_BYTES = inFull({ database: 1, text: 1 }, { database: 127, text: 17 })

/** Its title in `skips`; in what is printed the size stands behind it. */
export const LARGE = 'a large session is read in bounded memory'

export function conformance(variant: ConformanceCase): void {
  const run = (title: string, body: () => Promise<void>, detail = '') => {
    const skip = variant.skips?.find(entry => entry.test === title)
    if (skip === undefined) test(`${variant.name}: ${title}${detail === '' ? '' : ` (${detail})`}`, body)
    else test.skip(`${variant.name}: ${title} (${skip.reason})`, () => {})
  }
  const prepare = async () => {
    const home = temporaryHome()
    const made = variant.make(home)
    const environment = environmentOf(home)
    const session = await findSession(variant.agent, environment, made.sessionId)
    expect(session.generation).toBe(variant.store)
    return { home, made, environment, session, whole: readFileSync(made.file) }
  }
  const read = (session: SessionRef, after?: ReadOptions) =>
    collect(readFrom(variant.agent, session, { busyMs: 300, ...after }))

  run('the name it has over ACP is its own', async () => {
    const own = variant.agent.acp?.()
    expect(agents.filter(({ acp }) => acp?.().name === (own?.name ?? ''))).toHaveLength(own === undefined ? 0 : 1)
    if (own !== undefined) expect([own.name, own.command, own.install]).not.toContain('')
  })

  run('a complete session is found and read completely', async () => {
    const { made, session } = await prepare()
    const { messages, end } = await read(session)
    expect(messages.filter(message => message.role !== 'system')).toHaveLength(made.messages)
    expect(end.type).toBe('complete')
    expect(end.findings).toEqual([])
    expect(end.facts.title ?? session.title).toBeTruthy()
    expect(end.facts.project ?? session.project).toBe('/home/dev/shop')
    expect(new Set(messages.map(message => message.id)).size).toBe(messages.length)
  })

  run('calls are paired with their results', async () => {
    const { session } = await prepare()
    const parts = (await read(session)).messages.flatMap(message => message.parts)
    const calls = parts.filter(part => part.type === 'tool-call').map(part => part.id)
    const results = parts.filter(part => part.type === 'tool-result').map(part => part.id)
    expect(calls.length).toBeGreaterThan(0)
    expect(results).toEqual(calls)
  })

  run('reading leaves the store as it was', async () => {
    const { home, environment, session } = await prepare()
    const before = snapshot(home)
    await discoverAll(variant.agent, environment)
    await read(session)
    expect(snapshot(home)).toEqual(before)
  })

  run('cut at any byte, the reading is what was before the cut, or an honest error', async () => {
    const { made, session, whole } = await prepare()
    const complete = said((await read(session)).messages)
    for (const length of cutsOf(whole)) {
      truncateSync(made.file, length)
      const left = await readHonestly(read, session)
      if (left === undefined) continue
      if (variant.afterCut === 'error-or-all') expect(left.said, `cut at ${length}`).toEqual(complete)
      else if (variant.afterCut === 'prefix')
        expect(complete.slice(0, left.said.length), `cut at ${length}`).toEqual(left.said)
      else expect(isSubset(left.said, complete), `cut at ${length}`).toBe(true)
      // Only a cut right behind a record can look complete.
      if (variant.afterCut === 'prefix' && left.isWhole)
        expect('}\n', `cut at ${length}`).toContain(String.fromCharCode(whole[length - 1] ?? 0))
    }
  })

  run('with bytes flipped at random, nothing hangs and nothing is thrown but honest errors', async () => {
    const { made, session, whole } = await prepare()
    const random = seededRandom(20261115)
    for (let i = 0; i < FLIPS; i++) {
      const bytes = Buffer.from(whole)
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      writeFileSync(made.file, bytes)
      await readHonestly(read, session)
    }
  })

  const growth = variant.growth
  if (growth !== undefined) {
    run('after growth, only what was added is read', async () => {
      const { made, session, whole } = await prepare()
      const first = await read(session)
      appendFileSync(made.file, growth(made))
      const bytes = countBytesRead()
      const second = await read(session, { after: first.end.checkpoint })
      expect(second.end.continued).toBe(true)
      expect(second.messages.length).toBeGreaterThan(0)
      expect(bytes.contentBytes(made.file)).toBeLessThan(whole.length)
      const again = await read(session)
      expect(said(merge(first.messages, second.messages))).toEqual(said(again.messages))
      expect(second.end.counts.records).toBe(again.end.counts.records)
    })

    run('a record that was torn at the first reading is complete at the second', async () => {
      const { made, session } = await prepare()
      const added = growth(made)
      appendFileSync(made.file, added.subarray(0, added.length - 7))
      const first = await read(session)
      expect(first.end.type === 'partial' && first.end.error.code).toBe('still-being-written')
      appendFileSync(made.file, added.subarray(added.length - 7))
      const second = await read(session, { after: first.end.checkpoint })
      expect(second.end.type).toBe('complete')
      expect(second.end.counts.skipped).toBe(0)
      expect(said(merge(first.messages, second.messages))).toEqual(said((await read(session)).messages))
    })

    run('a file that was replaced is read again', async () => {
      const { made, session, whole } = await prepare()
      const first = await read(session)
      rmSync(made.file)
      // Another file takes the inode of the first where the file system hands it out again; the hash still tells.
      writeFileSync(made.file, Buffer.concat([whole.subarray(0, 5), Buffer.from(' '), whole.subarray(5), growth(made)]))
      expect((await read(session, { after: first.end.checkpoint })).end.continued).toBe(false)
    })
  }

  run('a session that vanishes between discovery and reading is "not-found"', async () => {
    const { made, session } = await prepare()
    rmSync(made.file)
    expect(await errorCode(read, session)).toBe('not-found')
  })

  run('no permission is an error, never a partial reading', async () => {
    const { made, session } = await prepare()
    const restore = injectFiles({
      ...nodeFiles,
      open: path => (path === made.file ? refuse() : nodeFiles.open(path)),
      openPlain: path => (path === made.file ? refuse() : nodeFiles.openPlain(path)),
    })
    expect(await errorCode(read, session).finally(restore)).toBe('permission-denied')
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(isRoot)(
    `${variant.name}: chmod 000 is "permission-denied"${isRoot ? ' (root may read everything)' : ''}`,
    async () => {
      const { made, session } = await prepare()
      chmodSync(made.file, 0)
      expect(await errorCode(read, session)).toBe('permission-denied')
    },
  )

  run('a failing disk is an error with the offset', async () => {
    const { made, session } = await prepare()
    const opened = new Set<number>()
    const restore = injectFiles({
      ...nodeFiles,
      open: path => remember(opened, nodeFiles.open(path), path === made.file),
      openPlain: path => remember(opened, nodeFiles.openPlain(path), path === made.file),
      read: (fd, buffer, position) => (opened.has(fd) ? failDisk() : nodeFiles.read(fd, buffer, position)),
    })
    expect(await errorCode(read, session).finally(restore)).toBe('io-error')
  })

  run('an empty file is an error, not an empty conversation', async () => {
    const { made, session } = await prepare()
    truncateSync(made.file, 0)
    expect(await errorCode(read, session)).toBe('empty-file')
  })

  run('a directory in the place of the file is an error', async () => {
    const { made, session } = await prepare()
    rmSync(made.file)
    mkdirSync(made.file)
    expect(await errorCode(read, session)).toBe('is-a-directory')
  })

  run('a link out of the store is not followed', async () => {
    const { made, session } = await prepare()
    const outside = join(temporaryHome(), 'elsewhere')
    renameSync(made.file, outside)
    symlinkSync(outside, made.file)
    expect(await errorCode(read, session)).toBe('outside-store')
  })

  const large = variant.large ?? { bytes: LARGE_BYTES, reason: '' }
  const size = [`${large.bytes / 1024 / 1024} MB`, ...(large.reason === '' ? [] : [large.reason])].join(', ')
  const runLarge = large.bytes === 0 ? () => undefined : run
  runLarge(
    LARGE,
    async () => {
      const home = temporaryHome()
      const made = variant.makeLarge(home, large.bytes)
      expect(statSync(made.file).size).toBeGreaterThan(large.bytes * 0.9)
      const { messages, grownBytes } = await measureReading(variant.agent.id, home, made.sessionId)
      expect(messages).toBe(made.messages)
      expect(grownBytes).toBeLessThan(MEMORY_BOUND_BYTES)
    },
    size,
  )
}

/** From the last to the first, and every one beside the end of a line. */
function cutsOf(whole: Buffer): number[] {
  const every = isDatabase(whole) ? CUT_BYTES.database : CUT_BYTES.text
  const isBesideEnd = (length: number): boolean =>
    !isDatabase(whole) && whole.subarray(length - 2, length + 2).includes('\n')
  return Array.from({ length: whole.length }, (_, index) => whole.length - 1 - index).filter(
    (length, index) => index % every === 0 || length === 0 || isBesideEnd(length),
  )
}

function isDatabase(bytes: Buffer): boolean {
  return bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** For the further stores of an agent: only in `npm run test:full`, and smaller than the first one. */
export const SECOND_LARGE = {
  bytes: inFull(120, 0) * 1024 * 1024,
  reason: 'the first store of this agent is tested with 300 MB',
}

type Read = (session: SessionRef) => ReturnType<typeof collect>

/** Undefined for an error of the kinds that reading may throw; every other error fails the test. */
async function readHonestly(read: Read, session: SessionRef) {
  try {
    const { messages, end } = await read(session)
    return { said: said(messages), isWhole: !isPartial(end) }
  } catch (error) {
    if (error instanceof RethreadError && HONEST.has(error.code)) return undefined
    throw error
  }
}

const HONEST = new Set(['empty-file', 'not-a-session', 'session-not-found', 'database-corrupt', 'not-found'])

async function errorCode(read: Read, session: SessionRef): Promise<string> {
  try {
    const { end } = await read(session)
    return `no error, but a ${end.type} reading`
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    expect(error.hint).not.toBe('')
    expect(error.path).toBeTruthy()
    return error.code
  }
}

function merge(first: { id: string }[], second: { id: string }[]) {
  const all = new Map([...first, ...second].map(message => [message.id, message]))
  return [...all.values()] as Awaited<ReturnType<typeof collect>>['messages']
}

function isSubset(some: string[], all: string[]): boolean {
  let at = 0
  for (const item of all) if (item === some[at]) at++
  return at === some.length
}

function countBytesRead() {
  const paths = new Map<number, string>()
  const bytes = new Map<string, number>()
  injectFiles({
    ...nodeFiles,
    open(path) {
      const fd = nodeFiles.open(path)
      paths.set(fd, path)
      return fd
    },
    read(fd, buffer, position) {
      const got = nodeFiles.read(fd, buffer, position)
      const path = paths.get(fd) ?? ''
      // The window that is hashed to know the file again is bounded and does not count as reading the conversation.
      const isHashed = (new Error().stack ?? '').includes('hashBefore')
      if (!isHashed) bytes.set(path, (bytes.get(path) ?? 0) + got)
      return got
    },
  })
  return {
    contentBytes(path: string): number {
      injectFiles(nodeFiles)
      return bytes.get(path) ?? 0
    },
  }
}

function refuse(): never {
  throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
}

function failDisk(): never {
  throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
}

function remember(fds: Set<number>, fd: number, isWanted: boolean): number {
  if (isWanted) fds.add(fd)
  else fds.delete(fd)
  return fd
}

function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Every file below a folder with its bytes and times. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => {
      const path = join(entry.parentPath, entry.name)
      return `${path} ${statSync(path).mtimeMs} ${readFileSync(path).toString('base64')}`
    })
    .sort()
}
