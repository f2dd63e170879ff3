// One case of the proof: the agent does not find the session; after the doctor it does, with the whole history; a
// second doctor is silent; an undo puts every byte and row back.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ModelServer } from '../model-server.ts'
import { openAgent, type RealAgent } from '../real-agent.ts'
import { missingFrom, piecesOf } from '../sent.ts'
import type { Version } from '../versions.ts'
import { type Broken, keepCopy, type RelinkCase } from './cases.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

export interface RelinkRow {
  agent: string
  version: string
  id: string
  /** Messages that the agent sends when it continues: healthy, broken, and after the doctor. */
  healthy: number
  before: number
  after: number
  /** How many of the project's sessions the agent lists in its folder: broken, and after the doctor. */
  listed?: { before: number; after: number; of: number }
  /** What is wrong; empty if all went as it has to. */
  wrong: string[]
  how: 'fixed' | 'moved by hand' | 'healed by the agent'
  day: string
}

export interface RelinkStage extends Broken {
  version: Version
  healthy: { history: number; units: string[][]; listed: string[] | undefined }
  server: ModelServer
  agents: string
  state: string
  /** Its id. */
  session: string
}

/** One short session, kept beside the home. */
export async function recordForRelinks(
  base: string,
  version: Version,
  server: ModelServer,
  agents: string,
): Promise<RelinkStage> {
  const folder = join(base, `${version.id}-${version.version}`)
  // The folders of other versions are not its neighbours.
  const [home, project, other] = [join(folder, 'home'), join(folder, 'code', 'shop'), join(folder, 'code', 'blog')]
  rmSync(folder, { recursive: true, force: true })
  for (const path of [home, project, other]) mkdirSync(path, { recursive: true })
  for (const name of ['cart.js', 'price-table.js']) writeFileSync(join(project, name), 'export const lines = []\n')
  const agent = openAgent(version.commands, version.version, { agents, project, server })
  agent.prepare(home, server.port)
  const startIn = async (started: string): Promise<void> => {
    await openAgent(version.commands, version.version, { agents, project: started, server }).turn(home, 'Hello')
  }
  // Before the other one, which has to be the newest.
  await startIn(other)
  let session: string | undefined
  for (const prompt of [
    'Please add a price field to cart.js and price-table.js',
    'TOOL list the files here',
    'Sum it up',
  ]) {
    const turn = await agent.turn(home, prompt, session)
    session ??= turn.session ?? 'latest'
  }
  agent.asOneSitting(home)
  keepCopy(home, `${home}.kept`)
  const listed = await agent.list(home)
  if (listed?.length === 0) throw new Error(`${version.id} ${version.version} lists no session in ${project}.`)
  const { history, messages, isAnswered } = await agent.turn(home, PROMPT, 'latest')
  if (!isAnswered || history < 5)
    throw new Error(`${version.id} ${version.version} was not recorded: ${history} messages.`)
  const state = join(folder, 'state')
  return {
    version,
    home,
    project,
    moved: join(folder, 'code', 'store'),
    other,
    healthy: { history, units: agent.unitsOf(messages), listed },
    server,
    agents,
    state,
    session: session ?? 'latest',
    startIn,
  }
}

const PROMPT = 'Go on from here'

function restore({ home, project, moved, version, server, state }: RelinkStage): void {
  if (existsSync(moved)) renameSync(moved, project)
  keepCopy(`${home}.kept`, home)
  rmSync(state, { recursive: true, force: true })
  version.commands.prepare(home, server.port)
}

export async function verifyRelink(stage: RelinkStage, one: RelinkCase): Promise<RelinkRow> {
  const { version, home, healthy, state } = stage
  const wrong: string[] = []
  const expectThat = (isTrue: boolean, text: string): void => void (isTrue || wrong.push(text))
  restore(stage)
  const before = await continueIn(stage, await one.inflict(stage))
  restore(stage)
  const listedBefore = await listAfter(stage, await one.inflict(stage))
  restore(stage)
  const folder = await one.inflict(stage)
  const isHealed = one.isHealed?.includes(version.version) === true
  const isByHand = one.isByHand?.includes(version.version) === true
  const untouched = hashesIn(home)
  const first = rethread(stage, 'doctor', '--json')
  expectThat(same(untouched, hashesIn(home)), 'the doctor changed something without --fix')
  if (isHealed) expectThat(first.status === 0 || one.id.includes('renamed'), `doctor ended with ${first.status}`)
  else {
    const isLost = one.isStillListed === true ? listedBefore?.here.length === 0 : before.history < healthy.history
    expectThat(isLost, 'the agent found it before the fix')
    const expected = one.isStillListed === true ? 0 : 3
    if (!isByHand)
      expectThat(first.status === expected, `doctor ended with ${first.status}: ${first.text.slice(0, 300)}`)
    const fix = (): void => {
      const fixed = isByHand
        ? rethread(stage, 'move', stage.project, stage.moved, '--yes', '--force', '--json')
        : rethread(stage, 'doctor', '--fix', '--yes', '--force', '--json')
      expectThat(fixed.status === 0, `the fix ended with ${fixed.status}: ${fixed.text.slice(-600)}`)
    }
    const others = unconcernedIn(stage)
    expectThat(others.size > 0, 'nothing is known of the other project')
    fix()
    const touched = difference(others, unconcernedIn(stage))
    expectThat(touched === '', `the fix changed something of another project: ${touched}`)
    const second = rethread(stage, 'doctor', '--json')
    expectThat(second.status === 0 && lostIn(second.text) === 0, `a second doctor ended with ${second.status}`)
    for (const receipt of receiptsIn(stage)) {
      const undone = rethread(stage, 'undo', receipt, '--force')
      expectThat(undone.status === 0, `undo ended with ${undone.status}: ${undone.text.slice(0, 300)}`)
    }
    const back = hashesIn(home)
    expectThat(same(untouched, back), `undo left something changed: ${difference(untouched, back)}`)
    rmSync(state, { recursive: true, force: true })
    fix()
  }
  // A resumed session may get another id in the list.
  keepCopy(home, `${home}.fixed`)
  const listed = await checkLists(stage, folder, listedBefore, expectThat)
  if (listed !== undefined) keepCopy(`${home}.fixed`, home)
  if (one.isResumedById === true) {
    const resumed = await continueIn(stage, folder, stage.session)
    const lacking = missingFrom(healthy.units, piecesOf(resumed.messages))
    expectThat(lacking.length === 0, `missing when resumed by id: ${lacking.slice(0, 2).join(' | ')}`)
  }
  const after = await continueIn(stage, folder)
  const missing = missingFrom(healthy.units, piecesOf(after.messages))
  expectThat(missing.length === 0, `missing after the fix: ${missing.slice(0, 2).join(' | ')}`)
  restore(stage)
  const how = isHealed ? 'healed by the agent' : isByHand ? 'moved by hand' : 'fixed'
  const day = new Date().toISOString().slice(0, 10)
  const counts = { healthy: healthy.history, before: before.history, after: after.history }
  const row = { agent: version.id, version: version.version, id: one.id, ...counts, wrong, how, day } as const
  return listed === undefined ? row : { ...row, listed }
}

/** What the agent lists in the folder in which it is asked, and in the other project. */
interface Lists {
  here: string[]
  other: string[]
}

async function listAfter(stage: RelinkStage, folder: string): Promise<Lists | undefined> {
  const { version, agents, server, home, other } = stage
  const listIn = async (project: string): Promise<string[] | undefined> =>
    await openAgent(version.commands, version.version, { agents, project, server }).list(home)
  const here = await listIn(folder)
  return here === undefined ? undefined : { here, other: (await listIn(other)) ?? [] }
}

/** The sessions are in the list again, and nothing that was in a list before the fix is missing from it. */
async function checkLists(
  stage: RelinkStage,
  folder: string,
  before: Lists | undefined,
  expectThat: (isTrue: boolean, text: string) => void,
): Promise<RelinkRow['listed']> {
  const own = stage.healthy.listed
  const after = before === undefined ? undefined : await listAfter(stage, folder)
  if (own === undefined || before === undefined || after === undefined) return undefined
  const count = ({ here }: Lists): number => own.filter(id => here.includes(id)).length
  expectThat(count(after) === own.length, `the agent lists ${count(after)} of ${own.length} after the fix`)
  const gone = [
    ...before.here.filter(id => !after.here.includes(id)),
    ...before.other.filter(id => !after.other.includes(id)),
  ]
  expectThat(gone.length === 0, `no longer listed where it was: ${gone.join(', ')}`)
  return { before: count(before), after: count(after), of: own.length }
}

async function continueIn({ version, agents, server, home }: RelinkStage, folder: string, session = 'latest') {
  const agent: RealAgent = openAgent(version.commands, version.version, { agents, project: folder, server })
  // One version waits for ever where it finds no session.
  return await agent.turn(home, PROMPT, session, 45_000)
}

function rethread({ home, state, version, agents }: RelinkStage, ...args: string[]): { status: number; text: string } {
  const bin = join(agents, `${version.id}-${version.version}`, 'node_modules', '.bin')
  const PATH = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  const program = [join(ROOT, 'bin', 'rethread.js'), '--home', home, '--state', state, ...args]
  try {
    const text = execFileSync(process.execPath, program, { env: { PATH, HOME: home }, encoding: 'utf8', stdio: 'pipe' })
    return { status: 0, text }
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number | null; stdout: string; stderr: string }
    return { status: status ?? -1, text: stdout + stderr }
  }
}

function lostIn(text: string): number {
  return (JSON.parse(text) as { totals: { lost: number } }).totals.lost
}

/** Newest first. */
function receiptsIn(stage: RelinkStage): string[] {
  const { repairs: receipts } = JSON.parse(rethread(stage, 'repairs', '--json').text) as {
    repairs: { id: string; state: string }[]
  }
  return receipts.filter(({ state }) => state === 'applied').map(({ id }) => id)
}

/** Of a database its rows: its pages may be in the log or not. */
function hashesIn(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || /-(?:wal|shm)$|\.lock$/.test(entry.name)) continue
    found.set(relative(folder, path), isDatabase(path) ? rowsIn(path) : hashOf(readFileSync(path)))
  }
  return found
}

/** Files and rows that name the other project, and not the one that the case is about. */
function unconcernedIn({ home, project, moved, other }: RelinkStage): Map<string, string> {
  // Some versions store only the hash of a path.
  const isNamed = (text: string, path: string): boolean =>
    text.includes(path) || text.includes(hashOf(Buffer.from(path)))
  const isOther = (text: string): boolean => isNamed(text, other) && !isNamed(text, project) && !isNamed(text, moved)
  const found = new Map<string, string>()
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || /-(?:wal|shm)$|\.lock$/.test(entry.name)) continue
    // A row is known by what it says: its database may get another name.
    if (isDatabase(path)) for (const text of textsOfRows(path).filter(isOther)) found.set(text, '')
    else if (isOther(readFileSync(path, 'latin1'))) found.set(relative(home, path), hashOf(readFileSync(path)))
  }
  return found
}

function isDatabase(path: string): boolean {
  return (
    /\.(?:db|sqlite)$/.test(path) &&
    statSync(path).size > 0 &&
    readFileSync(path).subarray(0, 6).toString() === 'SQLite'
  )
}

function rowsIn(path: string): string {
  return hashOf(Buffer.from(JSON.stringify(textsOfRows(path))))
}

function textsOfRows(path: string): string[] {
  const database = new DatabaseSync(path)
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    return tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${String(name)}"`)
        .all()
        .map(row => `${String(name)} ${JSON.stringify(row)}`),
    )
  } finally {
    database.close()
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function same(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return difference(one, other) === ''
}

function difference(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter(name => one.get(name) !== other.get(name)).join(', ')
}
