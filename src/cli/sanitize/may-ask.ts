// Whether there is somebody who can be asked.
import { hasTerminal } from '../../disk/terminal.ts'

/** Undefined where questions may be asked; otherwise why not. */
export function whyNotAsked(
  isForbidden: boolean,
  variables: Record<string, string | undefined>,
  streams: readonly { isTTY?: boolean }[] = [process.stdin, process.stdout, process.stderr],
): string | undefined {
  if (isForbidden) return '--non-interactive was given'
  const ci = variables['CI'] ?? ''
  if (ci !== '' && ci !== 'false' && ci !== '0') return 'CI is set'
  if (variables['TERM'] === 'dumb') return 'TERM is dumb'
  // Where nothing of ours goes to a terminal nobody is watching, even if we were started from one.
  if (!streams.some(({ isTTY }) => isTTY === true)) return 'there is no terminal'
  return hasTerminal() ? undefined : 'there is no terminal'
}
