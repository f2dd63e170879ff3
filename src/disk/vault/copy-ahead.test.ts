import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectTidy, LOG_REPAIRS, lastReceipt, REPAIRS, succeeds } from '../../../test/faults/scenario.ts'
import { killAt, quickHome } from '../../../test/support/faults.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { edit, LOG, LONG_AGO, patch, putSession, type Session, text } from '../../../test/support/repairs.ts'
import { hashUpTo, withHandle } from '../files/handles.ts'
import { applyChanges } from './apply.ts'
import { type CopyThread, copyAhead } from './copy-ahead.ts'
import { copyOrdered } from './copy-file.ts'
import type { FileBefore } from './receipt.ts'
import { recoverInterrupted } from './recover.ts'
import { undoReceipt } from './undo.ts'

function subjectOf({ state, file }: Session) {
  return { state, agent: 'some-agent', sessionId: 'session-1', filePath: file }
}

/** This thread instead of another. */
const here: CopyThread = {
  copy: copyOrdered,
  hash: async (path, size) => await withHandle(path, 'read', file => hashUpTo(file, size)),
}

/** Counts its calls. */
function countingThread(): { thread: CopyThread; copies(): number; hashes(): number } {
  let [copies, hashes] = [0, 0]
  return {
    copies: () => copies,
    hashes: () => hashes,
    thread: {
      copy(order) {
        copies++
        return here.copy(order)
      },
      hash(path, size) {
        hashes++
        return here.hash(path, size)
      },
    },
  }
}

function begin(session: Session, thread: CopyThread = here) {
  const ahead = copyAhead(subjectOf(session), thread)
  if (ahead === undefined) throw new Error('Nothing was copied ahead.')
  return ahead
}

/** What the receipt says of the file, and its copy. */
function backupIn(session: Session): { before: FileBefore; content: string } {
  const receipt = lastReceipt(session)
  const change = receipt?.changes[0]
  if (receipt === undefined || change?.type !== 'patch') throw new Error('No file was edited.')
  const folder = join(session.state, 'vault/some-agent/session-1', receipt.id)
  expect(readdirSync(join(folder, 'backup'))).toHaveLength(1)
  return { before: change.before, content: text(join(folder, change.before.backup)) }
}

function isInPlace(session: Session): boolean {
  const change = lastReceipt(session)?.changes[0]
  return change?.type === 'patch' && change.way === 'in-place'
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

describe.each(Object.entries(LOG_REPAIRS))('a repair %s', (_, changeOf) => {
  test('uses the copy that was made ahead, and can be undone', async () => {
    const session = putSession(temporaryHome())
    const { thread, copies, hashes } = countingThread()
    const request = { ...session.request([changeOf(session.file)]), ahead: begin(session, thread) }
    const receipt = await applyChanges(request)
    expect(copies()).toBe(1)
    // Edits in place need no hash.
    expect(hashes()).toBe(isInPlace(session) ? 0 : 1)
    expect(text(session.file)).not.toBe(LOG)
    const { before, content } = backupIn(session)
    expect(content).toBe(LOG)
    expect(before.size).toBe(LOG.length)
    expect(before.sha256).toBe(isInPlace(session) ? undefined : sha256(LOG))
    expectTidy(session)
    await undoReceipt(session.state, receipt.id)
    expect(text(session.file)).toBe(LOG)
    expect(statSync(session.file).mtime).toEqual(LONG_AGO)
  })

  test('copies a log again that has grown since', async () => {
    const session = putSession(temporaryHome())
    const request = { ...session.request([changeOf(session.file)]), ahead: begin(session) }
    await request.ahead.settle()
    appendFileSync(session.file, '{"n":9}\n')
    // A repair that adds at the end may be outdated by then; the others keep what was added.
    const isApplied = await succeeds(applyChanges(request))
    expectTidy(session)
    if (!isApplied) return expect(text(session.file)).toBe(`${LOG}{"n":9}\n`)
    const { before, content } = backupIn(session)
    expect(content).toBe(`${LOG}{"n":9}\n`)
    expect(before.sha256).toBe(isInPlace(session) ? undefined : sha256(content))
  })

  test('copies a log again that another program changed and gave its old time', async () => {
    const session = putSession(temporaryHome())
    const request = { ...session.request([changeOf(session.file)]), ahead: begin(session) }
    await request.ahead.settle()
    const changed = LOG.replace('"n":3', '"n":7')
    writeFileSync(session.file, changed)
    utimesSync(session.file, LONG_AGO, LONG_AGO)
    await applyChanges(request)
    expect(backupIn(session).content).toBe(changed)
  })

  test('copies it itself where that could not be done ahead', async () => {
    const session = putSession(temporaryHome())
    const failing: CopyThread = {
      async copy({ copy }) {
        writeFileSync(copy, 'half of')
        throw new Error('the thread died')
      },
      async hash() {
        throw new Error('the thread died')
      },
    }
    await applyChanges({ ...session.request([changeOf(session.file)]), ahead: begin(session, failing) })
    const { before, content } = backupIn(session)
    expect(content).toBe(LOG)
    expect(before.sha256).toBe(isInPlace(session) ? undefined : sha256(LOG))
    expectTidy(session)
  })

  test('killed at each call leaves the old file or the new one', async () => {
    const home = quickHome()
    for (let at = 1, isDone = false; !isDone; at++) {
      const session = putSession(join(home, String(at)))
      const request = session.request([changeOf(session.file)])
      const fault = killAt(at, 'half')
      isDone = await succeeds(applyWithCopy(session, request))
      fault.lift()
      await recoverInterrupted(session.state)
      expectTidy(session)
      const receipt = lastReceipt(session)
      if (receipt?.state === 'applied') await undoReceipt(session.state, receipt.id)
      expect(text(session.file), `call ${at}`).toBe(LOG)
      expect(statSync(session.file).mtime, `call ${at}`).toEqual(LONG_AGO)
    }
  })
})

async function applyWithCopy(session: Session, request: ReturnType<Session['request']>): Promise<void> {
  await applyChanges({ ...request, ahead: copyAhead(subjectOf(session), here) })
}

describe('a copy that is not used', () => {
  test('is removed, with everything that was made for it', async () => {
    const session = putSession(temporaryHome())
    await begin(session).discard()
    expectTidy(session)
    expect(readdirSync(join(session.state, 'vault/some-agent/session-1'))).toEqual([])
    // The lock is free again.
    await begin(session).discard()
  })

  test('is removed where the plan does something else with the file', async () => {
    const session = putSession(temporaryHome())
    const change = REPAIRS['that removes a file']
    if (change === undefined) throw new Error('no such repair')
    await applyChanges({ ...session.request([change(session.file)]), ahead: begin(session) })
    expect(existsSync(session.file)).toBe(false)
    expect(readdirSync(join(session.state, 'vault/some-agent/session-1'))).toHaveLength(1)
    expectTidy(session)
  })

  test('is removed where the plan no longer fits', async () => {
    const session = putSession(temporaryHome())
    const request = {
      ...session.request([patch(session.file, edit(session.file, 'bbbb', 'zzzz'))]),
      ahead: begin(session),
    }
    await request.ahead.settle()
    writeFileSync(session.file, LOG.replace('bbbb', 'dddd'))
    await expect(applyChanges(request)).rejects.toMatchObject({ code: 'plan-outdated' })
    expectTidy(session)
    expect(readdirSync(join(session.state, 'vault/some-agent/session-1'))).toEqual([])
    await begin(session).discard()
  })
})

describe('nothing is copied ahead', () => {
  test('while another rethread works on the session', async () => {
    const session = putSession(temporaryHome())
    const first = begin(session)
    const { thread, copies } = countingThread()
    expect(copyAhead(subjectOf(session), thread)).toBeUndefined()
    expect(copies()).toBe(0)
    await first.discard()
  })

  test('of a file that does not exist', () => {
    const session = putSession(temporaryHome())
    expect(copyAhead({ ...subjectOf(session), filePath: `${session.file}.gone` }, here)).toBeUndefined()
  })
})

test('an order to copy a file is refused where another file has taken its place', async () => {
  const { file, home } = putSession(temporaryHome())
  const { dev, ino } = statSync(file)
  const order = { path: file, device: String(dev), inode: String(ino + 1), size: LOG.length, copy: join(home, 'copy') }
  await expect(copyOrdered(order)).rejects.toMatchObject({ code: 'plan-outdated' })
  expect(existsSync(order.copy)).toBe(false)
})

test('an order to copy takes so many bytes and no more, and fails where there are fewer', async () => {
  const { file, home } = putSession(temporaryHome())
  const { dev, ino } = statSync(file)
  const order = { path: file, device: String(dev), inode: String(ino), copy: join(home, 'copy') }
  const half = LOG.slice(0, 20)
  await copyOrdered({ ...order, size: 20 })
  expect(readFileSync(order.copy, 'utf8')).toBe(half)
  expect(statSync(order.copy).mode & 0o777).toBe(0o600)
  const more = { ...order, size: LOG.length + 1, copy: join(home, 'more') }
  await expect(copyOrdered(more)).rejects.toMatchObject({ code: 'plan-outdated' })
})
