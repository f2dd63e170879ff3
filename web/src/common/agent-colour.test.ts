import { describe, expect, it } from 'vitest'
import { agentColour, agentLetters } from './agent-colour.ts'

describe('the mark of an agent', () => {
  it('has the first letters of two words, or the first two of one', () => {
    expect(['New Agent', 'new-agent', 'agent', 'x', '', '…'].map(agentLetters)).toEqual([
      'NA',
      'NA',
      'Ag',
      'X',
      '?',
      '?',
    ])
  })

  it('has the same colour each time, and a colour for both themes', () => {
    expect(agentColour('some-agent')).toBe(agentColour('some-agent'))
    expect(agentColour('some-agent')).toMatch(/^light-dark\(oklch\(.+\), oklch\(.+\)\)$/)
  })
})
