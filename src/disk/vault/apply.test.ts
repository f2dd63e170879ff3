import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderOnDisk, put, temporaryHome } from '../../../test/support/home.ts'
import {
  edit,
  FIRST,
  LOG,
  LONG_AGO,
  patch,
  putSession,
  remove,
  strangersBeside,
  text,
  write,
} from '../../../test/support/repairs.ts'
import type { Change } from '../../model/plan.ts'
import { files, injectFiles } from '../files/system-calls.ts'
import { applyChanges } from './apply.ts'
import { receiptSchema } from './receipt.ts'
import { listReceipts } from './receipts.ts'
import { vaultFolder } from './vault.ts'

const SAME_LENGTH = (file: string): Change => patch(file, edit(file, 'bbbb', 'aaaa'))
const LONGER = (file: string): Change => patch(file, edit(file, 'bbbb', 'longer'))

describe('a repair', () => {
  test.each([
    ['in place', SAME_LENGTH, LOG.replace('bbbb', 'aaaa')],
    ['that changes the length', LONGER, LOG.replace('bbbb', 'longer')],
  ])(
    '%s changes the bytes of the edit and no other, and keeps mode, owner and times',
    async (_, changeOf, expected) => {
      const { file, request } = putSession(temporaryHome())
      chmodSync(file, 0o640)
      if (process.getuid?.() === 0) chownSync(file, 1234, 5678)
      utimesSync(file, LONG_AGO, LONG_AGO)
      const before = statSync(file)
      const receipt = await applyChanges(request([changeOf(file)]))
      expect(text(file)).toBe(expected)
      const { mode, uid, gid, mtimeMs } = statSync(file)
      expect({ mode, uid, gid, mtimeMs }).toEqual({
        mode: before.mode,
        uid: before.uid,
        gid: before.gid,
        mtimeMs: before.mtimeMs,
      })
      expect(receipt.state).toBe('applied')
      expect(strangersBeside(file)).toEqual([])
    },
  )

  test('in place leaves the file the same file; one that changes the length makes another', async () => {
    const { file, request } = putSession(temporaryHome())
    const { ino } = statSync(file)
    await applyChanges(request([SAME_LENGTH(file)]))
    expect(statSync(file).ino).toBe(ino)
    await applyChanges(request([patch(file, edit(file, 'cccc', 'longer'))]))
    expect(statSync(file).ino).not.toBe(ino)
  })

  test('leaves bytes that are no text as they are', async () => {
    const odd = Buffer.from([0xff, 0xfe, 0x00, 0xed, 0xa0, 0x80, 0x0d, 0x0a, 0xe2, 0x80, 0xa8])
    const { file, request } = putSession(temporaryHome(), Buffer.concat([odd, Buffer.from('aaaa'), odd]))
    await applyChanges(request([patch(file, edit(file, 'aaaa', 'b'))]))
    expect(readFileSync(file).equals(Buffer.concat([odd, Buffer.from('b'), odd]))).toBe(true)
  })

  test('of a session that is a link changes the file it leads to', async () => {
    const { home, file, request } = putSession(temporaryHome())
    const elsewhere = join(home, 'elsewhere.jsonl')
    renameSync(file, elsewhere)
    symlinkSync(elsewhere, file)
    await applyChanges(request([LONGER(file)]))
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(text(elsewhere)).toBe(LOG.replace('bbbb', 'longer'))
  })

  test('removes a file into the vault, also onto another file system', async () => {
    const { file, request } = putSession(temporaryHome())
    const other = join(folderOnDisk(), 'state')
    const receipt = await applyChanges({ ...request([remove(file)]), state: other })
    expect(existsSync(file)).toBe(false)
    expect(text(join(vaultFolder(other, receipt), 'backup/0-session.jsonl'))).toBe(LOG)
  })

  test('writes a file where there was none, for its owner alone, with the folders above it', async () => {
    const { home, request } = putSession(temporaryHome())
    const file = join(home, 'agent/deeper/new.json')
    await applyChanges(request([write(file, '{}')]))
    expect(text(file)).toBe('{}')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('writes over a file and keeps its mode', async () => {
    const { home, request } = putSession(temporaryHome())
    const file = put(home, 'agent/index.json', '[1,')
    chmodSync(file, 0o644)
    await applyChanges(request([write(file, '[1]')]))
    expect(text(file)).toBe('[1]')
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  test('with five hundred edits, and with bytes too large for the receipt', async () => {
    const line = `{"id":"0000"}${'x'.repeat(50)}\n`
    const large = Buffer.alloc(3 * 1024 * 1024, 'L')
    const { file, request, state } = putSession(temporaryHome(), Buffer.concat([Buffer.from(line.repeat(500)), large]))
    const edits = Array.from({ length: 500 }, (_, index) => {
      const start = index * line.length + line.indexOf('0000')
      return { start, end: start + 4, bytes: Buffer.from('1111'), damage: 'd', reason: 'r' }
    })
    const start = 500 * line.length
    const tail = {
      start,
      end: start + large.length,
      bytes: Buffer.alloc(2 * 1024 * 1024, 'S'),
      damage: 'd',
      reason: 'r',
    }
    const receipt = await applyChanges(request([{ type: 'patch', file, edits: [...edits, tail] }]))
    const expected = Buffer.concat([Buffer.from(line.replace('0000', '1111').repeat(500)), tail.bytes])
    expect(readFileSync(file).equals(expected)).toBe(true)
    const folder = vaultFolder(state, receipt)
    expect(statSync(join(folder, 'receipt.json')).size).toBeLessThan(512 * 1024)
    expect(
      readFileSync(join(folder, 'removed/0-session.jsonl'))
        .subarray(500 * 5, -1)
        .equals(large),
    ).toBe(true)
    expect(readFileSync(join(folder, 'added/0-session.jsonl')).subarray(0, -1).equals(tail.bytes)).toBe(true)
  })
})

describe('the vault', () => {
  test('has a receipt with every edit, a full copy and what was removed, readable only for this user', async () => {
    const { file, request, state } = putSession(temporaryHome())
    const { id } = await applyChanges(request([LONGER(file)]))
    const folder = join(state, 'vault/some-agent/session-1', id)
    const receipt = receiptSchema.parse(JSON.parse(text(join(folder, 'receipt.json'))))
    const [change] = receipt.changes
    expect(receipt).toMatchObject({ id, agent: 'some-agent', sessionId: 'session-1', filePath: file, state: 'applied' })
    expect(change).toMatchObject({ type: 'patch', way: 'rewrite', sizeAfter: LOG.length + 2 })
    expect(change?.type === 'patch' && change.edits).toEqual([
      {
        start: FIRST.length + 17,
        end: FIRST.length + 21,
        damage: 'some-damage',
        reason: 'because',
        old: { base64: Buffer.from('bbbb').toString('base64') },
        new: { base64: Buffer.from('longer').toString('base64') },
      },
    ])
    expect(text(join(folder, 'backup/0-session.jsonl'))).toBe(LOG)
    expect(text(join(folder, 'removed/0-session.jsonl'))).toBe('bbbb\n')
    for (const name of ['receipt.json', 'backup/0-session.jsonl', 'removed/0-session.jsonl'])
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    for (const name of ['', 'vault', 'vault/some-agent', `vault/some-agent/session-1/${id}/backup`])
      expect(statSync(join(state, name)).mode & 0o777, name).toBe(0o700)
  })

  test('takes ids of any kind', async () => {
    const { file, request, state } = putSession(temporaryHome())
    for (const sessionId of ['../../escape', '', '.', 'x'.repeat(300), 'a/b']) {
      const receipt = await applyChanges({ ...request([patch(file, edit(file, 'parent', 'parent'))]), sessionId })
      expect(receipt.sessionId).toBe(sessionId)
    }
    expect(readdirSync(join(state, 'vault/some-agent'))).toHaveLength(5)
    expect(readdirSync(state).sort()).toEqual(['altered', 'locks', 'unfinished', 'vault'])
  })
})

describe('while the disk stores edits in place', () => {
  const changed = LOG.replace('bbbb', 'aaaa')
  const stateOf = (state: string): string | undefined => listReceipts(state).receipts[0]?.receipt.state

  test('the caller sees the file as it will be, with its time, and the repair is not finished', async () => {
    const { file, state, request } = putSession(temporaryHome())
    const seen: unknown[] = []
    const whileSyncing = async (): Promise<void> => {
      seen.push([text(file), statSync(file).mtime, stateOf(state)])
    }
    const marked: string[] = []
    const { syncAside } = files()
    onTestFinished(
      injectFiles({
        ...files(),
        async syncAside(fd) {
          // Nothing is written to the file after it was asked to be stored.
          marked.push(String(statSync(file, { bigint: true }).ctimeNs))
          await syncAside(fd)
        },
      }),
    )
    await applyChanges({ ...request([SAME_LENGTH(file)]), whileSyncing })
    expect(seen).toEqual([[changed, LONG_AGO, 'started']])
    expect(marked).toEqual([String(statSync(file, { bigint: true }).ctimeNs)])
    expect(stateOf(state)).toBe('applied')
  })

  test('a disk that cannot do it has them rolled back, whatever the caller saw', async () => {
    const { file, state, request } = putSession(temporaryHome())
    const seen: string[] = []
    const whileSyncing = async (): Promise<void> => {
      seen.push(text(file))
    }
    const syncAside = async (): Promise<void> => {
      throw Object.assign(new Error('the disk is broken'), { code: 'EIO' })
    }
    onTestFinished(injectFiles({ ...files(), syncAside }))
    await expect(applyChanges({ ...request([SAME_LENGTH(file)]), whileSyncing })).rejects.toMatchObject({
      code: 'io-error',
    })
    expect(seen).toEqual([changed])
    expect(text(file)).toBe(LOG)
    expect(statSync(file).mtime).toEqual(LONG_AGO)
    expect(stateOf(state)).toBe('rolled-back')
  })

  test('the caller is not asked for a file that is rewritten', async () => {
    const { file, request } = putSession(temporaryHome())
    const whileSyncing = (): Promise<void> => Promise.reject(new Error('asked'))
    await applyChanges({ ...request([LONGER(file)]), whileSyncing })
    expect(text(file)).toBe(LOG.replace('bbbb', 'longer'))
  })
})
