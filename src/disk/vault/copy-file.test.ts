import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { LONG_AGO } from '../../../test/support/repairs.ts'
import { withHandle } from '../files/handles.ts'
import { type Files, files, injectFiles } from '../files/system-calls.ts'
import { COPY_BYTES, copyVerified, hashCopy, SYNCED_BYTES } from './copy-file.ts'

/** Longer than what is written between two syncs. */
const LARGE_BYTES = SYNCED_BYTES + 4 * COPY_BYTES

function makeFile(size = 3 * COPY_BYTES + 5) {
  const home = temporaryHome()
  const [file, copy] = [join(home, 'log'), join(home, 'copy')]
  const bytes = Buffer.alloc(size, 'some words of a conversation\n')
  writeFileSync(file, bytes)
  utimesSync(file, LONG_AGO, LONG_AGO)
  const run = (length = size) => withHandle(file, 'read', source => copyVerified(source, length, copy))
  return { file, copy, bytes, run }
}

function change(changed: Partial<Files>): void {
  onTestFinished(injectFiles({ ...files(), ...changed }))
}

/** Runs a step after the first bytes of the copy are written. */
function afterFirstWrite(step: () => void): void {
  const { write } = files()
  let isFirst = true
  change({
    write(fd, bytes, position) {
      const written = write(fd, bytes, position)
      if (isFirst) step()
      isFirst = false
      return written
    },
  })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('a copy has the bytes of the file, and is private', async () => {
  const { copy, bytes, run } = makeFile()
  await run()
  expect(readFileSync(copy).equals(bytes)).toBe(true)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
})

test('the hash of a copy and that of the edited file are made together', async () => {
  const { copy, bytes, run } = makeFile()
  await run()
  const edit = { start: COPY_BYTES + 3, end: COPY_BYTES + 8, bytes: Buffer.from('!'), damage: 'some', reason: 'why' }
  const hashes = await withHandle(copy, 'read', made => hashCopy(made, bytes.length, [edit]))
  const edited = Buffer.concat([bytes.subarray(0, edit.start), edit.bytes, bytes.subarray(edit.end)])
  expect(hashes).toEqual({ sha256: sha256(bytes), sha256After: sha256(edited) })
})

describe('a file that another program writes meanwhile', () => {
  test('is refused if bytes changed that were copied already, whatever its time says', async () => {
    const { file, bytes, run } = makeFile()
    afterFirstWrite(() => {
      writeFileSync(file, bytes.fill('x', 0, 4))
      utimesSync(file, LONG_AGO, LONG_AGO)
    })
    await expect(run()).rejects.toMatchObject({ code: 'plan-outdated', offset: 0 })
  })

  test('is refused if it becomes shorter', async () => {
    const { file, run } = makeFile()
    afterFirstWrite(() => truncateSync(file, COPY_BYTES + 1))
    await expect(run()).rejects.toMatchObject({ code: 'plan-outdated' })
  })

  test('is copied up to its old size if it grows', async () => {
    const { file, copy, bytes, run } = makeFile()
    afterFirstWrite(() => appendFileSync(file, 'more'))
    await run()
    expect(readFileSync(copy).equals(bytes)).toBe(true)
  })
})

test('a copy that cannot be read back as it was written is refused', async () => {
  const { write } = files()
  const { run } = makeFile()
  change({ write: (fd, bytes, position) => write(fd, Buffer.alloc(bytes.length), position) })
  await expect(run()).rejects.toMatchObject({ code: 'plan-outdated' })
})

describe('where the file system shares blocks', () => {
  const clone = (from: string, to: string): void => copyFileSync(from, to)

  test('nothing is written, and the clone is compared, cut to the size, and private', async () => {
    const { copy, bytes, run } = makeFile()
    change({
      clone,
      write() {
        throw new Error('written')
      },
    })
    const size = COPY_BYTES + 7
    await run(size)
    expect(readFileSync(copy).equals(bytes.subarray(0, size))).toBe(true)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  test('a clone with other bytes is refused', async () => {
    const { bytes, run } = makeFile()
    change({ clone: (_, to) => writeFileSync(to, Buffer.alloc(bytes.length)) })
    await expect(run()).rejects.toMatchObject({ code: 'plan-outdated' })
  })
})

describe('a large copy', () => {
  test('is synced on the way and at the end', async () => {
    const { copy, bytes, run } = makeFile(LARGE_BYTES)
    const sizes: number[] = []
    change({
      async syncTogether([path = '']) {
        sizes.push(statSync(path).size)
      },
    })
    await run()
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.at(-1)).toBe(bytes.length)
    expect(existsSync(copy)).toBe(true)
  })

  test('fails if only a sync on the way failed', async () => {
    const { run } = makeFile(LARGE_BYTES)
    let syncs = 0
    change({
      async syncTogether() {
        if (syncs++ === 0) throw Object.assign(new Error('the disk is broken'), { code: 'EIO' })
      },
    })
    await expect(run()).rejects.toMatchObject({ code: 'io-error' })
    expect(syncs).toBeGreaterThan(1)
  })
})
