// One case of the proof of the archive: record, archive, lose, restore, start the agent twice, resume. The result is a row of docs/verified-archive.md.
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { archiveAll, archiveOne } from '../../../src/catalog/archive.ts'
import { type Context, makeContext } from '../../../src/catalog/context.ts'
import { findSessions } from '../../../src/catalog/find-all.ts'
import { makeSessionFinder } from '../../../src/catalog/find-one.ts'
import { restoreSession } from '../../../src/repair/restore-archived/index.ts'
import { runSql } from '../../support/database.ts'
import type { ModelServer } from '../model-server.ts'
import { openAgent, type RealAgent } from '../real-agent.ts'
import { missingFrom, piecesOf } from '../sent.ts'
import type { Version } from '../workshop.ts'

export interface Row {
  agent: string
  version: string
  name: string
  /** Messages that the agent sent before the loss, and when it resumed the restored session. */
  before: number
  after: number
  restored: string
  /** Empty where everything went as it has to. */
  faults: string[]
}

export interface Bench {
  folder: string
  agents: string
  server: ModelServer
}

interface Stage {
  home: string
  agent: RealAgent
  context: Context
  healthy: string[][]
  sent: number
  sessionId: string
  filePath: string
}

const DAY_MS = 24 * 60 * 60 * 1000
/** An agent may delete in the background, some seconds after its start, and not in a turn that is over by then. */
const LONG_TURN = 'SLOW please'

type Lose = (stage: Stage) => void | Promise<void>

/** The cases of a version, by what is lost. */
export function casesOf({ id, version }: Version): [string, Lose][] {
  const isPurging = id === 'claude-code' || (id === 'gemini-cli' && version === '0.61.0')
  return [
    ...(isPurging ? ([['deleted by the agent itself', purge]] satisfies [string, Lose][]) : []),
    ['deleted', remove],
    ['cut', cut],
    ['overwritten', overwrite],
  ]
}

export async function runCase(bench: Bench, version: Version, name: string, lose: Lose): Promise<Row> {
  const stage = await prepare(bench, version)
  const { context, sessionId, filePath, healthy, agent, home } = stage
  const faults: string[] = []
  await archiveAll(context)
  const whole = Date.now()
  const isDeleted = name.startsWith('deleted')
  await lose(stage)
  const { deleted } = await archiveAll(context)
  if (isDeleted && deleted.length === 0) faults.push('the session was not deleted')
  const { files, rows } = await restore(stage, isDeleted ? undefined : whole)
  for (const prompt of name === 'deleted by the agent itself' ? [LONG_TURN, LONG_TURN] : ['Something else', 'And more'])
    await agent.turn(home, prompt)
  const isThere = (await findSessions(context)).sessions.some(session => session.sessionId === sessionId)
  if (!isThere || !existsSync(filePath)) faults.push('the agent deleted it again')
  const { messages, isAnswered } = await agent.turn(home, 'Go on from here', sessionId)
  if (!isAnswered) faults.push('the model refused the history')
  const missing = missingFrom(healthy, piecesOf(messages))
  if (missing.length > 0) faults.push(`${missing.length} parts of the history were not sent`)
  return {
    agent: version.commands.title,
    version: version.version,
    name,
    before: stage.sent,
    after: messages.length,
    restored: [files.length > 0 ? `${files.length} files` : '', rows > 0 ? `${rows} rows` : '']
      .filter(Boolean)
      .join(', '),
    faults,
  }
}

async function prepare({ folder, agents, server }: Bench, { id, version, commands }: Version): Promise<Stage> {
  const home = mkdtempSync(join(folder, `${id}-`))
  const project = join(folder, 'shop')
  mkdirSync(project, { recursive: true })
  const agent = openAgent(commands, version, { agents, project, server })
  agent.prepare(home, server.port)
  const first = await agent.turn(home, 'Please add a price field to the cart TOOL')
  const second = await agent.turn(home, 'And now the tax', first.session ?? 'latest')
  if (!second.isAnswered) throw new Error(`The agent did not answer: ${second.ran.stderr.slice(0, 500)}`)
  const context = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
  const { sessions } = await findSessions(context)
  // A resume of Gemini CLI in another minute leaves an empty log of the same id, and its next start deletes both.
  const [session, ...others] = sessions
    .filter(each => each.agent === id && each.subagentOf === undefined)
    .toSorted((a, b) => b.fileSize - a.fileSize)
  if (session === undefined) throw new Error('The agent has written no session.')
  const { sessionId, filePath } = session
  for (const other of others) if (other.filePath !== filePath) rmSync(other.filePath)
  const healthy = agent.unitsOf(second.messages)
  return { home, agent, context, healthy, sent: second.messages.length, sessionId, filePath }
}

async function restore({ context, sessionId, filePath }: Stage, time: number | undefined) {
  const finder = await makeSessionFinder(context)
  // A resume can leave a second file with the same id.
  const session = finder.byName(filePath.endsWith('.db') ? sessionId : filePath)
  return await restoreSession(context, session, {
    time,
    force: true,
    keepPresent: present => archiveOne(context, present),
  })
}

/** Makes the session old, and lets the next start of the agent delete it. */
async function purge({ home, agent, context, filePath }: Stage): Promise<void> {
  const old = new Date(Date.now() - 40 * DAY_MS)
  if (agent.id === 'claude-code')
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ cleanupPeriodDays: 1 }))
  else {
    const file = join(home, '.gemini', 'settings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    const general = { sessionRetention: { enabled: true, maxAge: '1d' } }
    writeFileSync(file, JSON.stringify({ ...settings, general }))
    const times = /"(startTime|lastUpdated|timestamp)":"[^"]+"/g
    const aged = readFileSync(filePath, 'utf8').replaceAll(times, `"$1":"${old.toISOString()}"`)
    writeFileSync(filePath, aged)
  }
  for (const path of filesOf(home)) utimesSync(path, old, old)
  await archiveAll(context)
  await agent.turn(home, LONG_TURN)
}

function filesOf(home: string): string[] {
  const patterns = [
    '.claude/projects/*/*.jsonl',
    '.codex/sessions/**/*.jsonl',
    '.gemini/tmp/*/chats/*',
    '.local/share/opencode/storage/{session,message,part}/**/*.json',
  ]
  return globSync(patterns, { cwd: home }).map(path => join(home, path))
}

function remove({ home, filePath }: Stage): void {
  if (filePath.endsWith('.db'))
    for (const table of ['part', 'message', 'session']) runSql(filePath, `DELETE FROM ${table}`)
  else for (const path of filesOf(home)) rmSync(path)
}

/** Half of it, as a resume that fails leaves it. */
function cut(stage: Stage): void {
  const { filePath } = stage
  if (filePath.endsWith('.db')) {
    const later = 'SELECT id FROM message ORDER BY id LIMIT -1 OFFSET 1'
    runSql(filePath, `DELETE FROM part WHERE message_id IN (${later})`)
    runSql(filePath, `DELETE FROM message WHERE id IN (${later})`)
  } else if (filePath.endsWith('.jsonl')) {
    const content = readFileSync(filePath)
    truncateSync(filePath, content.indexOf('\n', content.length / 4) + 1)
  } else if (filePath.includes('opencode')) for (const path of messagesOf(stage).slice(1)) rmSync(path)
  else keepMessages(filePath, 1)
}

/** Only its head is left, as a blank resume writes it. */
function overwrite(stage: Stage): void {
  const { filePath } = stage
  if (filePath.endsWith('.db')) for (const table of ['part', 'message']) runSql(filePath, `DELETE FROM ${table}`)
  else if (filePath.endsWith('.jsonl')) {
    const content = readFileSync(filePath)
    writeFileSync(filePath, content.subarray(0, content.indexOf('\n') + 1))
  } else if (filePath.includes('opencode')) for (const path of messagesOf(stage)) rmSync(path)
  else keepMessages(filePath, 0)
}

function messagesOf({ home, sessionId }: Stage): string[] {
  const folder = join(home, '.local/share/opencode/storage/message', sessionId)
  return globSync('*.json', { cwd: folder })
    .sort()
    .map(name => join(folder, name))
}

function keepMessages(file: string, count: number): void {
  const document = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...document, messages: document.messages.slice(0, count) }))
}
