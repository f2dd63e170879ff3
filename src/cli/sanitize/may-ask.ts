// Whether there is somebody who can be asked, and what is said where it mattered that there was not.
import type { SanitizeReport } from '../../agents/sanitizer.ts'
import { hasTerminal } from '../../disk/processes/terminal.ts'

export interface NotAsked {
  reason: string
  /** The person does not want to be asked. */
  isChosen: boolean
  /** What they can do to be asked; undefined where it would not help. */
  remedy: string | undefined
}

/** Undefined where questions may be asked; otherwise why not. */
export function whyNotAsked(
  isForbidden: boolean,
  variables: Record<string, string | undefined>,
  streams: readonly { isTTY?: boolean }[] = [process.stdin, process.stdout, process.stderr],
): NotAsked | undefined {
  if (isForbidden) return { reason: '--non-interactive was given', isChosen: true, remedy: undefined }
  // Where nothing of ours goes to a terminal nobody is watching, even if we were started from one.
  const isWatched = streams.some(({ isTTY }) => isTTY === true) && hasTerminal()
  const because = (reason: string, remedy: string): NotAsked => ({
    reason,
    isChosen: false,
    remedy: isWatched ? remedy : undefined,
  })
  const ci = variables['CI'] ?? ''
  if (ci !== '' && ci !== 'false' && ci !== '0') return because('CI is set', 'unset it')
  if (variables['TERM'] === 'dumb') return because('TERM is dumb', 'set it to what your terminal is')
  return isWatched ? undefined : { reason: 'there is no terminal', isChosen: false, remedy: 'run it in one' }
}

/** Only where a person could have prevented a loss, and did not choose to be left alone. */
export function describeNotAsked({ reason, isChosen, remedy }: NotAsked, report: SanitizeReport): string[] {
  if (isChosen || report.trashed.length + report.degraded.length === 0) return []
  const advice = remedy === undefined ? '' : ` To be asked next time, ${remedy}.`
  return [`No questions were asked: ${reason}.${advice}`]
}
