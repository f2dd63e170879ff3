// The findings of the reading and of the check at their places in the conversation, and navigation between
// them.
import { useMemo, useRef, useState } from 'react'
import type { ApiMessage } from '../../../src/server/protocol.ts'
import { useHealth } from '../health/use-health.ts'
import { useShortcut } from '../keyboard.ts'
import type { SessionState } from '../state/api.ts'
import type { PlacedFinding } from './finding-places.ts'
import { placeFindings, startOf } from './finding-places.ts'
import type { MessageListHandle } from './window/list-handle.ts'
import { whenDrawn } from './window/list-handle.ts'
import type { MessageWindow } from './window/message-window.ts'
import type { WindowState } from './window/window-state.ts'

export interface Findings {
  all: readonly PlacedFinding[]
  byMessage: ReadonlyMap<number, readonly PlacedFinding[]>
}

/**
 * The check finds more than the reading, but later. If it fails, the health pane reports it, and the findings
 * of the reading are shown here.
 */
export function useFindings(
  sessionKey: string,
  shown: SessionState,
  state: WindowState,
  loaded: readonly ApiMessage[],
): Findings {
  const health = useHealth(sessionKey)
  const isPresent = shown.branch === undefined && shown.version === undefined
  const checked = isPresent ? health.request.answer?.verdict.findings : undefined
  const { facts } = state
  return useMemo(() => {
    const all = placeFindings({ reading: facts?.findings ?? [], check: checked ?? [] }, loaded, facts?.total ?? 0)
    const byMessage = Map.groupBy(
      all.filter(({ index }) => index !== undefined),
      ({ index }) => index ?? 0,
    )
    return { all, byMessage }
  }, [facts, checked, loaded])
}

/** The keys n and p wrap around. If only the byte of a finding is known, its message is requested. */
export function useFindingSteps(
  findings: Findings,
  messages: MessageWindow,
  list: React.RefObject<MessageListHandle | null>,
): { said: string; next: () => void } {
  const at = useRef<string | undefined>(undefined)
  const [said, setSaid] = useState('')
  const { all } = findings
  const step = (by: 1 | -1) => {
    if (all.length === 0) return false
    const before = all.findIndex(({ key }) => key === at.current)
    const now = before < 0 ? (by === 1 ? 0 : all.length - 1) : (before + by + all.length) % all.length
    const wanted = all[now]
    if (wanted === undefined) return false
    at.current = wanted.key
    setSaid(`Finding ${now + 1} of ${all.length}`)
    void goToFinding(wanted, messages, list)
    return true
  }
  useShortcut('n', 'Next finding', () => step(1), all.length > 0)
  useShortcut('p', 'Previous finding', () => step(-1), all.length > 0)
  return { said, next: () => void step(1) }
}

async function goToFinding(
  { key, finding, index }: PlacedFinding,
  messages: MessageWindow,
  list: React.RefObject<MessageListHandle | null>,
): Promise<void> {
  const wanted = index ?? ('start' in finding.at ? await messages.find(startOf(finding)) : undefined)
  if (wanted !== undefined) await (await whenDrawn(list))?.goTo(wanted, key)
}
