import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import type { EventsProblem } from '../../agents/sanitizer.ts'
import { EditCopies } from './edit-copies.ts'

const PROBLEM: EventsProblem = {
  about: 'events',
  conversation: '17-chat',
  root: '/store',
  file: 'events.json',
  path: '/store/17-chat/events.json',
  text: 'broken',
  line: 1,
  column: 1,
  offset: 0,
  excerpt: '',
  bytes: Buffer.from('['),
  elements: [],
  validate: () => undefined,
}

let state: string
let copies: EditCopies
let path: string
beforeEach(() => {
  state = temporaryHome()
  copies = new EditCopies(state)
  path = copies.of(PROBLEM).path
})

const kept = (): string[] => readdirSync(join(state, 'edits'))

test('a copy that is as it was made is removed without a word', () => {
  expect(copies.putAside(PROBLEM)).toEqual([])
  expect(kept()).toEqual([])
})

test('what was typed is kept, and named', () => {
  writeFileSync(path, '[1')
  expect(copies.putAside(PROBLEM)).toEqual([`What you have edited is kept: ${path}`])
})

test('of a file that was deleted nothing is promised, and no empty folder stays', () => {
  rmSync(path)
  expect(copies.putAside(PROBLEM)).toEqual([])
  expect(kept()).toEqual([])
})

test('of a folder that was deleted neither', () => {
  rmSync(dirname(path), { recursive: true })
  expect(copies.putAside(PROBLEM)).toEqual([])
  expect(kept()).toEqual([])
})

test('a file that is left in its stead is kept, and its folder named', () => {
  renameSync(path, `${path}~`)
  expect(copies.putAside(PROBLEM)).toEqual([`What the editor has left is kept in this folder: ${dirname(path)}`])
  expect(readdirSync(dirname(path))).toEqual(['events.json~'])
})

test('something else under its name is kept, too', () => {
  rmSync(path)
  mkdirSync(path)
  expect(copies.putAside(PROBLEM)).toEqual([`What you have edited is kept: ${path}`])
})

test('a folder that cannot be looked into is not taken for an empty one', () => {
  rmSync(dirname(path), { recursive: true })
  writeFileSync(dirname(path), 'typed')
  expect(copies.putAside(PROBLEM)).toEqual([`What the editor has left is kept in this folder: ${dirname(path)}`])
})
