import { describe, expect, it } from 'vitest'
import { progressShare, progressText, repairText } from './figures.ts'

const checking = { phase: 'checking', done: 412, total: 1204, bytesDone: 1.3e9, bytesTotal: 3.9e9 } as const

describe('the background check in words', () => {
  it('says how many and how much', () => {
    expect(progressText(checking)).toBe('Checking 412 of 1,204 conversations (1.3 GB of 3.9 GB)')
  })

  it('says what goes before it', () => {
    expect(progressText({ ...checking, phase: 'finding', done: 0 })).toBe('Finding conversations')
    expect(progressText({ ...checking, phase: 'reading' })).toBe('Reading 412 of 1,204 conversations')
  })

  it('says that it is over', () => {
    expect(progressText({ ...checking, phase: 'done', total: 1 })).toBe('All checked')
    expect(progressText({ ...checking, phase: 'done', total: 0 })).toBe('Nothing to check')
  })

  it('measures by bytes, and by number where there are none', () => {
    expect(progressShare(checking)).toBeCloseTo(1 / 3)
    expect(progressShare({ ...checking, done: 602, bytesTotal: 0 })).toBe(0.5)
    expect(progressShare({ ...checking, total: 0, bytesTotal: 0 })).toBe(0)
  })
})

describe('"Repair all" in words', () => {
  const over = { done: 17, total: 17, repaired: 14, refused: 2, failed: 1 }

  it('says which one it is at', () => {
    expect(repairText({ ...over, done: 3 })).toBe('Repairing 4 of 17')
  })

  it('says what came of all of them', () => {
    expect(repairText(over)).toBe('14 repaired, 2 left as they are, 1 failed')
    expect(repairText({ ...over, refused: 1, failed: 0 })).toBe('14 repaired, 1 left as it is')
  })
})
