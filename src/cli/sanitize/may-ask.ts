// Whether there is somebody who can be asked.
import { hasTerminal } from '../../disk/terminal.ts'

/** Undefined where questions may be asked; otherwise why not. */
export function whyNotAsked(isForbidden: boolean, variables: Record<string, string | undefined>): string | undefined {
  if (isForbidden) return '--non-interactive was given'
  const ci = variables['CI'] ?? ''
  if (ci !== '' && ci !== 'false' && ci !== '0') return 'CI is set'
  if (variables['TERM'] === 'dumb') return 'TERM is dumb'
  // Where nothing of ours goes to a terminal nobody is watching, even if we were started from one.
  if (![process.stdin, process.stdout, process.stderr].some(stream => stream.isTTY)) return 'there is no terminal'
  return hasTerminal() ? undefined : 'there is no terminal'
}
