import { expect, it } from 'vitest'
import { archivedWords, isLoss, sizeWords, whyWords } from './version-words.ts'

const point = { number: 1, time: '2026-11-16T10:32:00Z', messages: 4, bytes: 12_000, exists: true }

it('a restore point says what happened, and how much was lost', () => {
  expect(whyWords({ ...point, why: 'shrank', lost: { before: 2113, after: 4 } }, 'Claude Code')).toBe(
    'Was shortened, from 2,113 to 4 messages',
  )
  expect(whyWords({ ...point, why: 'rewritten', lost: { before: 4, after: 4 } }, 'Claude Code')).toBe('Was rewritten')
  expect(whyWords({ ...point, why: 'deleted', exists: false, isByAgent: true }, 'Claude Code')).toBe(
    'Was deleted by Claude Code',
  )
  expect(isLoss({ ...point, why: 'grew' })).toBe(false)
  expect(isLoss({ ...point, why: 'deleted' })).toBe(true)
})

it('the size has the messages where they were counted, and is empty for a deletion', () => {
  expect(sizeWords(point)).toBe('4 messages, 12.0 KB')
  expect(sizeWords({ ...point, messages: null })).toBe('12.0 KB')
  expect(sizeWords({ ...point, exists: false })).toBe('')
})

it('a deleted session says who deleted it, and when', () => {
  expect(archivedWords({ deletedAt: '2025-11-12T12:00:00Z', isByAgent: true }, 'Claude Code')).toBe(
    'deleted by Claude Code on 12 Nov 2025; archived',
  )
  expect(archivedWords({ deletedAt: '2025-11-12T12:00:00Z', isByAgent: false }, 'Codex')).toBe(
    'deleted on 12 Nov 2025; archived',
  )
  expect(archivedWords({ deletedAt: null, isByAgent: false }, 'Codex')).toBe('missing; archived')
})
