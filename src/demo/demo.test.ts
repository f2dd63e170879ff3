// The home of the demo: it has every agent, each damage is found exactly where it was inflicted, and no file is outside.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { agents } from '../agents/index.ts'
import { requireResume, resumeOf } from '../agents/resume.ts'
import { makersOf } from '../agents/samples/sample.ts'
import { archiveStatus } from '../catalog/archive.ts'
import { makeContext } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import { makeSessionFinder } from '../catalog/find-one.ts'
import { readSession } from '../catalog/reading.ts'
import { runDoctor } from '../doctor/doctor.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import { checkMany } from '../repair/check/check-many.ts'
import { startGrowing } from './growth.ts'
import type { Demo, DemoSession } from './index.ts'
import { buildDemo } from './index.ts'
import { damagesOf, repairableKinds } from './kinds.ts'
import { misplaced, movedProjects, otherHome } from './stories/vanished.ts'

/** Characters of a damaged place that a finding may quote. */
const LONGEST_QUOTE = 60
const DAY_MS = 24 * 60 * 60 * 1000

describe('the home', () => {
  // A private one shows whether anything else is put there.
  const temporary = mkdtempSync(join(tmpdir(), 'rethread-demo-test-'))
  const folder = join(temporary, 'home')
  let demo: Demo
  let verdicts: Map<DemoSession, Verdict>
  let beside: string[]
  let content: Record<string, string>
  const now = Date.now()

  beforeAll(async () => {
    vi.stubEnv('TMPDIR', temporary)
    demo = await buildDemo({ home: folder, now })
    vi.unstubAllEnvs()
    content = contentOf(demo)
    beside = readdirSync(temporary)
    verdicts = await judge(demo)
  })
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))

  test('has sessions of every agent, in every kind of store that can be made up', async () => {
    const made = new Set(demo.sessions.map(({ session }) => `${session.agent} ${session.generation}`))
    const makers = await makersOf(agents)
    expect([...made].sort()).toEqual(makers.map(({ agent, store }) => `${agent} ${store}`).sort())
    expect(new Set(demo.sessions.map(({ session }) => session.agent)).size).toBe(agents.length)
  })

  test('has each damage in each kind of session that can have it', async () => {
    const inflicted = demo.sessions.flatMap(({ session, damage }) =>
      damage === undefined ? [] : [`${session.agent} ${session.generation} ${damage}`],
    )
    const wanted = (await repairableKinds(agents)).flatMap(kind =>
      damagesOf(kind).flatMap(({ id }) => (isOutOfReach(kind, id) ? [] : [`${kind.agent} ${kind.store} ${id}`])),
    )
    expect(inflicted.sort()).toEqual(wanted.sort())
  })

  test('is damaged where it was meant to be', () => {
    for (const [{ damage, what, session }, verdict] of verdicts) {
      if (damage === undefined) continue
      expect(verdict.status, `${session.filePath}: ${what}`).toBe('corrupted')
      expect(
        verdict.findings.map(finding => finding.damage),
        `${session.filePath}: ${what}`,
      ).toContain(damage)
    }
  })

  test('is judged without quoting messages, as the report templates promise', async () => {
    let compared = 0
    for (const [{ session, title }, verdict] of verdicts) {
      const said = JSON.stringify(verdict)
      expect(said.replaceAll(JSON.stringify(session.filePath).slice(1, -1), '')).not.toContain(title)
      for (const text of await textsOf(demo, session)) {
        if (text.length <= LONGEST_QUOTE) continue
        expect(said).not.toContain(JSON.stringify(text).slice(1, -1))
        compared++
      }
    }
    expect(compared).toBeGreaterThan(100)
  })

  test('is healthy everywhere else', () => {
    const expected = [...verdicts].filter(([{ problem }]) => problem === 'none')
    expect(expected.length).toBeGreaterThan(60)
    expect(expected.filter(([, { status }]) => status !== 'healthy').map(([{ session }]) => session.filePath)).toEqual(
      [],
    )
  })

  test('has an unreadable session, an empty one, one that is being written, and one that only its own command repairs', () => {
    const statuses = [...verdicts].flatMap(([{ problem }, { status, loads }]) =>
      problem === 'none' || problem === 'damage' ? [] : [{ problem, status, left: loads.afterRepair > 0 }],
    )
    expect(statuses.toSorted((a, b) => (a.problem < b.problem ? -1 : 1))).toEqual([
      { problem: 'cut', status: 'corrupted', left: true },
      ...Array.from({ length: 7 }, () => ({ problem: 'deleted', status: 'healthy', left: true })),
      { problem: 'emptied', status: 'unreadable', left: false },
      { problem: 'growing', status: 'busy', left: true },
      { problem: 'shortened', status: 'healthy', left: true },
      { problem: 'shortened', status: 'healthy', left: true },
      { problem: 'zeroed', status: 'corrupted', left: false },
    ])
  })

  test('has small and very large ones, and some that their agent deletes soon', async () => {
    const counts = demo.sessions.map(({ messages }) => messages).sort((a, b) => a - b)
    expect(counts[0]).toBe(2)
    expect(counts.at(-1)).toBeGreaterThan(3000)
    for (const agent of agents) {
      const days = agent.retention?.(demo.context.environment)?.days
      if (days === undefined) continue
      const { sessions } = await findSessions(demo.context, [agent])
      const ages = sessions.map(({ updatedAt }) => (Date.now() - updatedAt) / DAY_MS)
      expect(Math.max(...ages)).toBeLessThan(days)
      expect(ages.filter(age => age > days - 6).length).toBeGreaterThan(2)
    }
  })

  test('has an archive with deleted and shortened sessions, and with those that will be deleted soon', async () => {
    const { notices, totals, agents: archived } = await archiveStatus(demo.context)
    expect(totals.deleted).toBe(7)
    const kinds = notices.map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'shortened' || kind === 'purged')).toEqual([
      'shortened',
      'shortened',
      'purged',
    ])
    expect(notices.find(({ kind }) => kind === 'purged')?.text).toMatch(/^6 sessions of Claude Code were deleted/)
    expect(archived.find(({ agent }) => agent === 'claude-code')?.current).toBeGreaterThan(3)
    const deleted = demo.sessions.filter(({ problem }) => problem === 'deleted')
    const finder = await makeSessionFinder(demo.context)
    for (const { session, messages } of deleted) {
      const found = finder.byName(session.sessionId)
      expect(existsSync(found.filePath)).toBe(false)
      expect(await textsOf(demo, found), `${messages} messages`).not.toEqual([])
    }
  })

  test('has a folder for every conversation, and lies in no other place', () => {
    for (const { session } of demo.sessions) {
      expect(session.filePath.startsWith(folder)).toBe(true)
      const isMoved = movedProjects.some(({ project }) => session.project === join(folder, 'projects', project))
      if (session.project !== undefined) expect(existsSync(session.project), session.project).toBe(!isMoved)
    }
    expect(beside).toEqual(['home'])
    expect(readdirSync(homedir())).toEqual([])
  })

  test('has a project that moved, misplaced conversations, and a home of another machine', async () => {
    const { report } = await runDoctor(demo.context)
    const [moved] = movedProjects
    expect(report.findings.find(({ kind }) => kind === 'folder-moved')).toMatchObject({
      folder: { from: join(folder, 'projects', moved?.project ?? ''), to: join(folder, ...(moved?.folder ?? [])) },
    })
    const unlisted = report.sessions.filter(({ reason }) => reason === 'wrong-project')
    expect(unlisted).toHaveLength(misplaced.titles.length)
    const { sessions } = await findSessions(makeContext({ home: demo.otherHome, state: demo.context.state }))
    expect(sessions).toHaveLength(otherHome.titles.length)
  })

  test('has a stand-in for every command with which an agent is started or resumed', async () => {
    for (const agent of agents) {
      const { sessions } = await findSessions(demo.context, [agent])
      const resumed = sessions.flatMap(session => {
        const resume = resumeOf(agent, session, {})
        return resume.type === 'command' ? [resume.program] : []
      })
      const commands = new Set([...resumed, ...(agent.start === undefined ? [] : [agent.start()])].map(c => c.command))
      for (const command of commands) expect(statSync(join(demo.commands, command)).mode & 0o111).toBe(0o111)
    }
  })

  test('has stand-ins that say what they are, what they were given, and what they found', async () => {
    const whole = demo.sessions.find(({ problem, session }) => problem === 'none' && /\.jsonl$/.test(session.filePath))
    const [agent] = agents.filter(({ id }) => id === whole?.session.agent)
    if (whole === undefined || agent === undefined) throw new Error('There is none.')
    const { command, args } = requireResume(agent, whole.session, {}).program
    const said = await talk(join(demo.commands, command), [...args], 'good morning\nexit\n')
    expect(said).toContain('is a stand-in of the rethread demo')
    expect(said).toContain(args.join(' '))
    expect(said).toContain(tmpdir())
    expect(said).toMatch(/(\d+) of \1 lines are whole records/)
    expect(said).toContain('good morning')
  })

  test('is the same again, byte for byte, when it is made again', async () => {
    rmSync(folder, { recursive: true })
    expect(contentOf(await buildDemo({ home: folder, now }))).toEqual(content)
    expect(Object.keys(content).length).toBeGreaterThan(300)
  })
})

test('a conversation grows record by record, torn in between, until all of it is there', () => {
  vi.useFakeTimers()
  const file = join(temporaryHome(), 'a.jsonl')
  writeFileSync(file, '{"n":1}\n{"n"')
  startGrowing({ file, rest: Buffer.from(':2}\n{"n":3}\n{"n":4}\n') }, 1000)
  vi.advanceTimersByTime(1000)
  expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n"')
  vi.advanceTimersByTime(9000)
  expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n')
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Nothing says how such a session is broken: its folder has no breaker for it, or its rows hold no JSON. */
function isOutOfReach({ repair }: Awaited<ReturnType<typeof repairableKinds>>[number], damage: string): boolean {
  // Made-up logs have no ordinals, and without them a second header does no harm.
  if (damage === 'repeated-header') return true
  if (repair.framing === 'json-lines') return damage === 'lost-index' && repair.breakIndex === undefined
  return repair.framing === 'sqlite' && repair.records === undefined && damage !== 'damaged-database'
}

/** A session whose head is damaged can be known by another id, but not in another file. */
async function judge(demo: Demo): Promise<Map<DemoSession, Verdict>> {
  // As the demo itself would do it meanwhile, however long the checks take.
  const grow = () => {
    if (demo.growth !== undefined) utimesSync(demo.growth.file, new Date(), new Date())
  }
  grow()
  const growing = setInterval(grow, 500)
  const { sessions } = await makeSessionFinder(demo.context)
  const verdicts = await checkMany(demo.context, [...sessions])
  clearInterval(growing)
  return new Map(
    demo.sessions.map(expected => {
      const isIts = ({ agent, sessionId }: Verdict) =>
        agent === expected.session.agent && sessionId === expected.session.sessionId
      const verdict = verdicts.find(isIts) ?? verdicts.find(({ filePath }) => filePath === expected.session.filePath)
      if (verdict === undefined) throw new Error(`${expected.session.filePath} was not checked.`)
      return [expected, verdict]
    }),
  )
}

/** The content of every file except rethread's own. */
function contentOf({ home, context }: Demo): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(entry => join(entry.parentPath, entry.name)).filter(path => !path.startsWith(context.state))
  return Object.fromEntries(paths.sort().map(path => [path, readFileSync(path).toString('latin1')]))
}

async function talk(command: string, args: string[], input: string): Promise<string> {
  const child = spawn(command, args, { cwd: tmpdir(), stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', chunk => {
    said += String(chunk)
  })
  child.stdin.end(input)
  const status = await new Promise(resolve => child.on('close', resolve))
  expect(status).toBe(0)
  return said
}

/** What was said in it; nothing where it cannot be read at all. */
async function textsOf({ context }: Demo, session: SessionRef): Promise<string[]> {
  const texts: string[] = []
  try {
    for await (const { parts } of readSession(context, session))
      for (const part of parts) if (part.type === 'text') texts.push(part.text)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
  }
  return texts
}
