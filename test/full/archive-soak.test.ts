// Sessions that are appended to, rewritten, cut and deleted at random while the archive is killed every few seconds. Afterwards every
// content that was on disk during a whole pass is in the archive, byte for byte. RETHREAD_TEST_SOAK_SECONDS says for how long.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Archive, openArchive } from '../../src/archive/archive.ts'
import { type ArchiveChain, restorePoints } from '../../src/archive/chain.ts'
import { type ContentReader, makeContentReader } from '../../src/archive/content.ts'
import { unfoldHome } from '../../src/archive/home-paths.ts'
import { rethread } from '../support/cli.ts'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'
import { below, type Random, seededRandom } from '../support/random.ts'

const SECONDS = Number(process.env['RETHREAD_TEST_SOAK_SECONDS'] ?? 300)
const SESSIONS = 50
/** A file that was written more recently may be in the middle of a record. */
const QUIET_MS = 5000
const KILL_MS = { least: 1500, most: 9000 }

interface State {
  sha256: string
  from: number
  to: number
  /** Its last record has no end, so it is copied only when the file is quiet. */
  isTorn: boolean
}

interface Subject {
  file: string
  isLog: boolean
  content: Buffer | undefined
  states: State[]
  /** When it changes next. */
  due: number
}

/** A pass that was completed. The state of a file that did not change from `from` to `to` must be in the archive. */
interface Pass {
  from: number
  to: number
}

function subjectsIn(home: string): Subject[] {
  return Array.from({ length: SESSIONS }, (_, index) => {
    const id = randomUUID()
    const isLog = index % 3 !== 0
    const file = isLog
      ? index % 2 === 0
        ? `.claude/projects/-home-dev-shop/${id}.jsonl`
        : `.codex/sessions/2026/11/16/rollout-2026-11-16T10-00-00-${id}.jsonl`
      : `.local/share/amp/threads/T-${id}.json`
    return { file: join(home, file), isLog, content: undefined, states: [], due: 0 }
  })
}

function record(random: Random): string {
  const words = Array.from({ length: 5 + below(random, 200) }, () => below(random, 1e9).toString(36)).join(' ')
  return JSON.stringify({ type: 'user', uuid: randomUUID(), message: { role: 'user', content: words } })
}

function document(random: Random, { file }: Subject, messages: number): Buffer {
  const id = /T-[^.]+/.exec(file)?.[0]
  return Buffer.from(
    `{"id":"${id}","messages":[${Array.from({ length: messages }, () => record(random)).join(',\n')}]}`,
  )
}

/** What the agent does next: undefined deletes the session. */
function nextContent(
  random: Random,
  subject: Subject,
): { content: Buffer | undefined; isAppended: boolean; isTorn: boolean } {
  const { content, isLog } = subject
  const chance = random()
  const fresh = (count: number) =>
    isLog
      ? Buffer.from(`${Array.from({ length: count }, () => record(random)).join('\n')}\n`)
      : document(random, subject, count)
  if (content === undefined) return { content: fresh(2 + below(random, 20)), isAppended: false, isTorn: false }
  if (chance < 0.05) return { content: undefined, isAppended: false, isTorn: false }
  if (chance < 0.15) return { content: fresh(1 + below(random, 20)), isAppended: false, isTorn: false }
  if (chance < 0.25 && isLog) {
    const end = content.indexOf('\n', below(random, content.length)) + 1
    return { content: content.subarray(0, end), isAppended: false, isTorn: false }
  }
  if (!isLog) {
    const more = Buffer.concat([content.subarray(0, content.length - 2), Buffer.from(`,\n${record(random)}]}`)])
    return { content: more, isAppended: false, isTorn: false }
  }
  const isTorn = random() < 0.1
  const text = record(random)
  const isWhole = content.length === 0 || content.at(-1) === 0x0a
  const added = `${isWhole ? '' : '\n'}${isTorn ? text.slice(0, 20) : `${text}\n`}`
  return { content: Buffer.concat([content, Buffer.from(added)]), isAppended: true, isTorn }
}

function change(random: Random, subject: Subject): void {
  const { content, isAppended, isTorn } = nextContent(random, subject)
  const last = subject.states.at(-1)
  if (last !== undefined && last.to === Number.POSITIVE_INFINITY) last.to = Date.now()
  if (content === undefined) rmSync(subject.file, { force: true })
  else {
    mkdirSync(dirname(subject.file), { recursive: true })
    if (isAppended) writeFileSync(subject.file, content.subarray(subject.content?.length ?? 0), { flag: 'a' })
    else if (subject.isLog && random() < 0.5) writeFileSync(subject.file, content)
    else {
      // Not below the folder of the sessions: another name there is another session.
      const temporary = join(dirname(dirname(subject.file)), `${randomUUID()}.tmp`)
      writeFileSync(temporary, content)
      renameSync(temporary, subject.file)
    }
    subject.states.push({ sha256: sha256(content), from: Date.now(), to: Number.POSITIVE_INFINITY, isTorn })
  }
  subject.content = content
  // A burst, or a pause in which there is time for a copy.
  subject.due = Date.now() + (random() < 0.5 ? 200 + below(random, 3000) : 5000 + below(random, 20_000))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function start(home: string): { child: ChildProcess; ended: Promise<unknown>; from: number; said: () => string } {
  const from = Date.now()
  const child = spawn(
    process.execPath,
    [rethreadBin, '--home', home, '--state', join(home, 'state'), 'archive', '--watch'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += String(chunk)))
  return { child, ended: once(child, 'close'), from, said: () => said }
}

/** Kills the archive again and again until `end`. Returns the passes that were completed: the first one of each process. */
async function archiveAndKill(home: string, random: Random, end: number): Promise<{ passes: Pass[]; kills: number }> {
  const passes: Pass[] = []
  let kills = 0
  while (Date.now() < end) {
    const { child, ended, from, said } = start(home)
    const killAt = from + KILL_MS.least + below(random, KILL_MS.most - KILL_MS.least)
    let isNoted = false
    while (Date.now() < killAt) {
      await sleep(20)
      if (isNoted || !/copied\./.test(said())) continue
      passes.push({ from, to: Date.now() })
      isNoted = true
    }
    expect(child.exitCode, said()).toBeNull()
    child.kill('SIGKILL')
    await ended
    kills++
    expect(said()).not.toMatch(/rethread:|Error/)
  }
  return { passes, kills }
}

async function contentOf(reader: ContentReader, path: string, number: number): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of reader.read(path, number)) pieces.push(piece)
  return sha256(Buffer.concat(pieces))
}

async function chainsByFile(archive: Archive, home: string): Promise<Map<string, ArchiveChain>> {
  const chains = new Map<string, ArchiveChain>()
  for (const { id } of (await archive.heads()).values()) {
    const chain = await archive.load(id)
    if (chain !== undefined) chains.set(unfoldHome(chain.session.filePath, home) ?? '', chain)
  }
  return chains
}

test('nothing that was on disk for a whole pass is lost', { timeout: (SECONDS + 900) * 1000 }, async () => {
  const home = temporaryHome()
  const seed = below(Math.random, 2 ** 31)
  const random = seededRandom(seed)
  const subjects = subjectsIn(home)
  for (const subject of subjects) change(random, subject)
  const end = Date.now() + SECONDS * 1000
  const writing = (async () => {
    while (Date.now() < end) {
      for (const subject of subjects) if (subject.due <= Date.now()) change(random, subject)
      await sleep(10)
    }
  })()
  const { passes, kills } = await archiveAndKill(home, seededRandom(seed + 1), end)
  await writing
  await sleep(QUIET_MS)
  const lastFrom = Date.now()
  expect((await rethread(home, '--state', join(home, 'state'), 'archive')).status).toBe(0)
  passes.push({ from: lastFrom, to: Date.now() })
  expect(await rethread(home, '--state', join(home, 'state'), 'archive', 'check')).toMatchObject({ status: 0 })

  const archive = openArchive(join(home, 'state'))
  const chains = await chainsByFile(archive, home)
  let required = 0
  const lost: string[] = []
  for (const { file, states } of subjects) {
    const chain = chains.get(file)
    const reader = chain === undefined ? undefined : makeContentReader(archive.store, chain)
    for (const state of states) {
      const begun = state.from + (state.isTorn ? QUIET_MS : 0)
      const during = passes.find(({ from, to }) => begun < from && to < state.to)
      if (during === undefined) continue
      required++
      const point = chain === undefined ? undefined : restorePoints(chain).findLast(({ time }) => time <= during.to)
      const found =
        point === undefined || reader === undefined
          ? ''
          : await contentOf(reader, chain?.session.filePath ?? '', point.number)
      if (found !== state.sha256)
        lost.push(`${file} from ${state.from} to ${state.to}, pass ${during.from} to ${during.to}`)
    }
  }
  archive.close()
  const all = subjects.reduce((sum, { states }) => sum + states.length, 0)
  process.stderr.write(
    `Soak with seed ${seed}: ${all} states, ${required} of them during a whole pass, ${passes.length} passes, ${kills} kills.\n`,
  )
  expect(lost).toEqual([])
  expect(required).toBeGreaterThan(SESSIONS)

  // As a person does it: what was deleted comes back under its path.
  const deleted = subjects.filter(({ content }) => content === undefined)
  for (const { file, states } of deleted) {
    const chain = chains.get(file)
    if (chain === undefined) continue
    const shown = await rethread(home, '--state', join(home, 'state'), 'restore', chain.session.sessionId, '--json')
    expect(shown.status, shown.stderr).toBe(0)
    expect(states.map(state => state.sha256)).toContain(sha256(readFileSync(file)))
  }
})
