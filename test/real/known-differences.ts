// Where the check and an agent are known to count differently, and why that is left so. Only what the check said may differ: what a repair brings back may not.
import type { Row } from './row.ts'

interface KnownDifference {
  agent: string
  version: string
  damage: string
  reason: string
}

const KNOWN: readonly KnownDifference[] = [
  {
    agent: 'gemini-cli',
    version: '0.61.0',
    damage: 'raw-newline',
    reason: 'the broken record held a call; the agent sends its result alone, and the check does not count that',
  },
]

export function knownReason(row: Row): string | undefined {
  const isKnown = ({ agent, version, damage }: KnownDifference): boolean => {
    return row.agent === agent && row.version === version && row.damages.length === 1 && row.damages[0] === damage
  }
  return KNOWN.find(isKnown)?.reason
}
