// Real processes: an agent that appends all the time, two repairs at once, and a repair that is killed by the system.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFiles } from '../../src/disk/files/system-calls.ts'
import { type ApplyRequest, applyChanges } from '../../src/disk/vault/apply.ts'
import { recoverInterrupted } from '../../src/disk/vault/recover.ts'
import { undoReceipt } from '../../src/disk/vault/undo.ts'
import { watchCalls } from '../support/faults.ts'
import { temporaryHome } from '../support/home.ts'
import { edit, patch, putSession, remove, text } from '../support/repairs.ts'
import { startWriter, type Writer } from '../support/writer.ts'
import { expectTidy, lastReceipt } from './scenario.ts'

const LARGE = 4 * 1024 * 1024
const HEAD = '{"parent":"aaaa"}\n'
/** Large enough that a repair takes many times as long as the pause between two lines. */
const largeLog = () => Buffer.concat([Buffer.from(HEAD), Buffer.alloc(LARGE, 'x'), Buffer.from('\n')])

const APPENDS_BY_NAME = "const add = line => appendFileSync(path, line + '\\n')"
const KEEPS_IT_OPEN = "const handle = openSync(path, 'a'); const add = line => writeSync(handle, line + '\\n')"

/** Adds a line every 5 ms until it is asked to stop; then it says how many there were. */
function startAgent(file: string, how: string): Writer {
  return startWriter(
    file,
    `import { appendFileSync, openSync, writeSync } from 'node:fs'
     ${how}
     let count = 0
     const timer = setInterval(() => add('line ' + count++), 5)
     say('ready')
     await next()
     clearInterval(timer)
     say(String(count))`,
  )
}

/** The lines that the agent added, which are all behind the first two. */
const linesOf = (file: string): string[] => text(file).split('\n').slice(2, -1)
const linesUpTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`)

async function stop(agent: Writer): Promise<number> {
  agent.send('stop')
  return Number(await agent.heard())
}

test.each([
  ['appends by name', APPENDS_BY_NAME],
  ['keeps its log open', KEEPS_IT_OPEN],
])('an agent that %s loses no line by repairs in place', async (_, how) => {
  const session = putSession(temporaryHome(), largeLog())
  const agent = startAgent(session.file, how)
  await agent.heard()
  const receipt = await applyChanges(session.request([patch(session.file, edit(session.file, 'aaaa', 'bbbb'))]))
  expect(text(session.file).startsWith(HEAD.replace('aaaa', 'bbbb'))).toBe(true)
  await undoReceipt(session.state, receipt.id)
  const count = await stop(agent)
  expect(linesOf(session.file)).toEqual(linesUpTo(count))
  expect(text(session.file).startsWith(HEAD)).toBe(true)
  expectTidy(session)
})

test('an agent that appends by name loses no line by repairs that change the length', async () => {
  const session = putSession(temporaryHome(), largeLog())
  const agent = startAgent(session.file, APPENDS_BY_NAME)
  await agent.heard()
  for (let round = 0; round < 3; round++) {
    const receipt = await applyChanges(session.request([patch(session.file, edit(session.file, 'aaaa', 'bb'))]))
    expect(text(session.file).startsWith(HEAD.replace('aaaa', 'bb'))).toBe(true)
    await undoReceipt(session.state, receipt.id)
  }
  const count = await stop(agent)
  // A line that fell into the very moment of an exchange may stand behind a later one.
  expect(linesOf(session.file).toSorted()).toEqual(linesUpTo(count).toSorted())
  expect(readFileSync(session.file).length).toBe(
    largeLog().length + Buffer.byteLength(`${linesUpTo(count).join('\n')}\n`),
  )
  expectTidy(session)
})

test('a log that an agent keeps open is not replaced, and nothing is lost', async () => {
  const session = putSession(temporaryHome(), largeLog())
  const agent = startAgent(session.file, KEEPS_IT_OPEN)
  await agent.heard()
  const repair = applyChanges(session.request([patch(session.file, edit(session.file, 'aaaa', 'bb'))]))
  await expect(repair).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('open for writing') })
  const count = await stop(agent)
  expect(linesOf(session.file)).toEqual(linesUpTo(count))
  expect(text(session.file).startsWith(HEAD)).toBe(true)
  expect(lastReceipt(session)).toBeUndefined()
  expectTidy(session)
})

/** Opens the file for appending in another process and keeps it open; comes back when that is so. */
function holdOpen(file: string): void {
  const sign = `${file}.is-open`
  const child = spawn('sh', ['-c', 'exec 3>>"$0"; echo held >&3; : >"$1"; exec sleep 60', file, sign])
  onTestFinished(() => void child.kill('SIGKILL'))
  const pause = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(sign)) Atomics.wait(pause, 0, 0, 5)
  rmSync(sign)
}

test('a log that is opened in the very moment of the exchange gets its place back', async () => {
  const session = putSession(temporaryHome())
  const [before, { ino }] = [text(session.file), statSync(session.file)]
  const watch = watchCalls((name, values) => {
    // The exchange is the only call with this name that has the session as its target.
    if (name === 'link') holdOpen(session.file)
    if (name === 'rename' && values[1] === session.file && statSync(session.file).ino !== ino)
      appendFileSync(session.file, 'by name\n')
  }, nodeFiles)
  const repair = applyChanges(session.request([patch(session.file, edit(session.file, 'aaaa', 'longer'))]))
  await expect(repair).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('sleep') })
  watch.lift()
  expect(statSync(session.file).ino).toBe(ino)
  expect(text(session.file)).toBe(`${before}held\nby name\n`)
  expect(lastReceipt(session)?.state).toBe('rolled-back')
  expectTidy(session)
})

test('a file that is opened in the very moment it is removed gets its place back', async () => {
  const session = putSession(temporaryHome())
  const [before, { ino }] = [text(session.file), statSync(session.file)]
  const watch = watchCalls((name, values) => {
    if (name === 'rename' && values[0] === session.file) holdOpen(String(values[1]))
  }, nodeFiles)
  const repair = applyChanges(session.request([remove(session.file)]))
  await expect(repair).rejects.toMatchObject({ code: 'busy' })
  watch.lift()
  expect(statSync(session.file).ino).toBe(ino)
  expect(text(session.file)).toBe(`${before}held\n`)
  expectTidy(session)
})

const SRC = pathToFileURL(join(import.meta.dirname, '../../src/disk')).href

/** Repairs in a process of its own. Where it is asked to, it stops at that call, says so, and waits to be killed. */
function startRepair(request: ApplyRequest, stopAt = 'nowhere'): Writer {
  return startWriter(
    JSON.stringify(request),
    `import { applyChanges } from '${SRC}/vault/apply.ts'
     import { injectFiles, nodeFiles } from '${SRC}/files/system-calls.ts'
     const request = JSON.parse(path, (_, value) => (value?.type === 'Buffer' ? Buffer.from(value.data) : value))
     const stop = () => { process.stdout.write('stopped\\n'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }
     let writes = 0
     injectFiles({
       ...nodeFiles,
       rename: (from, to) => { if ('${stopAt}' === 'exchange' && to === request.filePath) stop(); nodeFiles.rename(from, to) },
       link: (from, to) => { nodeFiles.link(from, to); if ('${stopAt}' === 'link') stop() },
       setTimes: (...values) => { if ('${stopAt}' === 'times') stop(); nodeFiles.setTimes(...values) },
     })
     say('ready')
     await next()
     say(await applyChanges(request).then(() => 'applied', error => error.code ?? String(error)))`,
  )
}

test('of two repairs at once one is done and the other is refused', async () => {
  const session = putSession(temporaryHome())
  const request = session.request([patch(session.file, edit(session.file, 'aaaa', 'longer'))])
  const repairs = [startRepair(request), startRepair(request)]
  for (const repair of repairs) await repair.heard()
  for (const repair of repairs) repair.send('go')
  const outcomes = await Promise.all(repairs.map(repair => repair.heard()))
  expect(outcomes.filter(outcome => outcome === 'applied')).toHaveLength(1)
  expect(['locked', 'plan-outdated']).toContain(outcomes.find(outcome => outcome !== 'applied'))
  expect(text(session.file).match(/longer/g)).toHaveLength(1)
  expectTidy(session)
})

test.each([
  ['in place', 'zzzz', 'times', 'finished'],
  ['that changes the length, before the exchange', 'longer', 'link', 'taken-back'],
  ['that changes the length, at the exchange', 'longer', 'exchange', 'taken-back'],
])('a repair %s is locked while it lives, and settled after kill -9', async (_, by, stopAt, outcome) => {
  const session = putSession(temporaryHome())
  const before = text(session.file)
  const request = session.request([patch(session.file, edit(session.file, 'aaaa', by))])
  const repair = startRepair(request, stopAt)
  await repair.heard()
  repair.send('go')
  expect(await repair.heard()).toBe('stopped')

  expect(await recoverInterrupted(session.state)).toEqual([])
  await expect(applyChanges(request)).rejects.toMatchObject({ code: 'locked' })
  await repair.kill()
  appendFileSync(session.file, 'later\n')
  expect(await recoverInterrupted(session.state)).toMatchObject([{ outcome, filePath: session.file }])
  expect(text(session.file)).toBe(`${outcome === 'finished' ? before.replace('aaaa', by) : before}later\n`)
  expectTidy(session)
})
