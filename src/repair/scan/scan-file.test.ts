import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { toyRepair, toySession } from '../../../test/support/toy-log.ts'
import { openFile } from '../../disk/files/read.ts'
import { removeCachedIndex } from './index-cache.ts'
import { indexFile } from './scan-file.ts'

const A = '{"id":"a"}\n'
const B = '{"id":"b"}\n'
const C = '{"id":"c"}\n'

function makeLog(text: string) {
  const home = temporaryHome()
  const path = put(home, 'toy.jsonl', text)
  const state = join(home, 'state')
  const session = toySession(path, home)
  /** The ids that had to be looked at, and what the index holds then. */
  const check = ({ rules = 'one', fromBytes = 0, in: folder = state } = {}) => {
    const looked: string[] = []
    const repair = {
      ...toyRepair,
      describe(value: Record<string, unknown>) {
        looked.push(String(value['id']))
        return toyRepair.describe(value)
      },
    }
    const file = openFile(path, home)
    try {
      const { index, junk } = indexFile(file, session, repair, { state: folder, rules, fromBytes })
      const starts = Array.from({ length: index.length }, (_, record) => index.start(record))
      const superseded = starts.filter((_, record) => index.isSuperseded(record))
      return { looked: looked.join(' '), starts, superseded, junk: junk.map(({ start }) => start) }
    } finally {
      file.close()
    }
  }
  const kept = () => readdirSync(join(state, 'indexes')).map(name => join(state, 'indexes', name))
  return { home, path, state, session, check, kept }
}

test('of a log that has grown, only what is new is looked at', () => {
  const { path, check } = makeLog(A + B)
  expect(check()).toMatchObject({ looked: 'a b', starts: [0, 11] })
  appendFileSync(path, C)
  expect(check()).toMatchObject({ looked: 'c', starts: [0, 11, 22] })
  expect(check()).toMatchObject({ looked: '', starts: [0, 11, 22] })
})

test('what is behind the last whole record is looked at again, as it may have been half written', () => {
  const { path, check } = makeLog(`${A}${B}{"id":"c"`)
  expect(check().junk).toEqual([22])
  appendFileSync(path, '}\n')
  expect(check()).toEqual({ looked: 'c', starts: [0, 11, 22], superseded: [], junk: [] })
})

test('a last record without a newline is looked at again: more may follow on its line', () => {
  const { path, check } = makeLog(`${A}{"id":"b"}`)
  check()
  appendFileSync(path, C)
  expect(check()).toMatchObject({ looked: 'b c' })
})

test('a record that is written again behind the place to go on from supersedes the one before, as often as it is checked', () => {
  const { path, check } = makeLog(`${A}${B}{"id":"a"}`)
  expect(check().superseded).toEqual([0])
  expect(check()).toMatchObject({ looked: 'a', superseded: [0] })
  truncateSync(path, 22)
  expect(check()).toMatchObject({ looked: '', superseded: [] })
})

test('damage before the place to go on from is not forgotten', () => {
  const { path, check } = makeLog(`${A}rubbish\n${B}`)
  check()
  appendFileSync(path, C)
  expect(check()).toMatchObject({ looked: 'c', junk: [11] })
})

test('a file that was changed in place has not only grown', () => {
  const { path, check } = makeLog(A + B)
  check()
  writeFileSync(path, `${A.replace('a', 'z')}${B}${C}`, { flag: 'r+' })
  expect(check().looked).toBe('z b c')
})

test('a file that became shorter, or another file of the same name, is looked at whole', () => {
  const { path, check } = makeLog(A + B)
  check()
  truncateSync(path, A.length)
  expect(check().looked).toBe('a')
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
  appendFileSync(path, B)
  expect(check().looked).toBe('a b')
})

test('an index that was made by other rules is not used', () => {
  const { check } = makeLog(A + B)
  check()
  expect(check({ rules: 'two' }).looked).toBe('a b')
})

test('a short log is not kept, nor is a little more of a long one', () => {
  const { path, check, kept } = makeLog(A + B)
  check({ fromBytes: 23 })
  expect(kept).toThrow('ENOENT')
  check({ fromBytes: 22 })
  appendFileSync(path, C)
  check({ fromBytes: 22 })
  expect(check({ fromBytes: 22 }).looked).toBe('c')
})

test('a damaged index is as good as none, wherever it is damaged', () => {
  const { check, kept } = makeLog(`${A}rubbish\n${B}`)
  const whole = check()
  const [name = ''] = kept()
  const good = readFileSync(name)
  for (let at = 0; at < good.length; at += 7) {
    const bad = Buffer.from(good)
    bad.writeUInt8(bad.readUInt8(at) ^ 0x10, at)
    writeFileSync(name, bad)
    expect(check(), `byte ${at}`).toEqual(whole)
    writeFileSync(name, good.subarray(0, at))
    expect(check(), `cut at ${at}`).toEqual(whole)
  }
  writeFileSync(name, good)
  expect(check().looked).toBe('')
})

test('the index is for nobody else to read, and gone when it is to be forgotten', () => {
  const { check, kept, state, session } = makeLog(A + B)
  check()
  expect(kept().map(name => statSync(name).mode & 0o777)).toEqual([0o600])
  removeCachedIndex(state, session)
  expect(kept()).toEqual([])
  expect(check().looked).toBe('a b')
})

test('where nothing can be kept, everything is looked at each time', () => {
  const { home, check } = makeLog(A + B)
  const blocked = put(home, 'blocked', '')
  expect(check({ in: blocked }).looked).toBe('a b')
  expect(check({ in: blocked }).looked).toBe('a b')
})
