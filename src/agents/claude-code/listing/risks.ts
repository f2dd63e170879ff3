// What versions of Claude Code are known to lose. Source: CHANGELOG.md of
// anthropics/claude-code, at each version named as `fixedIn`.
import type { SessionRef } from '../../../model/session.ts'
import type { Environment } from '../../environment.ts'
import type { Risk } from '../../listing.ts'
import { installed } from '../folders.ts'
import { isAtLeast } from '../loader/rules.ts'
import { recordedVersion } from './places.ts'

/** From this size on versions such as 2.1.81 treat a log as large and search it for its last compaction. */
const LARGE_BYTES = 5_000_000

interface KnownBug {
  /** The first version without it. */
  fixedIn: string
  text: string
}

const BUGS: readonly KnownBug[] = [
  {
    fixedIn: '2.1.77',
    text: 'A resume can lose the newest messages if notes for the memory were written at the same time.',
  },
  { fixedIn: '2.1.91', text: 'A write that fails is not reported, and a resume then loses what came before it.' },
  { fixedIn: '2.1.181', text: 'The clean-up after 30 days can delete a session that is open and idle.' },
]

interface SizeLimit extends KnownBug {
  isConcerned(session: SessionRef, parents: ReadonlySet<string>): boolean
}

const LIMITS: readonly SizeLimit[] = [
  {
    fixedIn: '2.1.78',
    text: 'A session above 5 MB that has subagents is resumed with a part of its history.',
    isConcerned: ({ sessionId, fileSize }, parents) => fileSize > LARGE_BYTES && parents.has(sessionId),
  },
  {
    fixedIn: '2.1.121',
    text: 'A large session is not loaded at all if one of its lines was damaged by a crash.',
    isConcerned: ({ fileSize }) => fileSize > LARGE_BYTES,
  },
]

/** A file that holds only a title names no version. */
const MAX_OPENED = 10

function newestVersion(sessions: readonly SessionRef[]): string | undefined {
  for (const session of sessions.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, MAX_OPENED)) {
    const version = recordedVersion(session)
    if (version !== undefined) return version
  }
  return undefined
}

/** Of the installed version, or of the one that wrote the newest session. */
export function risks(sessions: readonly SessionRef[], environment: Environment): Risk[] {
  const main = sessions.filter(({ subagentOf }) => subagentOf === undefined)
  const version = installed(environment)?.version ?? newestVersion(main)
  if (version === undefined) return []
  const isOpen = ({ fixedIn }: KnownBug): boolean => !isAtLeast(version, fixedIn)
  const said = ({ fixedIn, text }: KnownBug): string => `${text} Corrected in ${fixedIn}.`
  const parents = new Set(sessions.flatMap(({ subagentOf }) => subagentOf ?? []))
  const tooLarge = LIMITS.filter(isOpen).flatMap((limit): Risk[] => {
    const concerned = main.filter(session => limit.isConcerned(session, parents))
    if (concerned.length === 0) return []
    const text = `Claude Code ${version} may not load these sessions because of their size. Update it.`
    return [{ kind: 'too-large', text, evidence: [said(limit)], sessions: concerned }]
  })
  const bugs = BUGS.filter(isOpen).map(said)
  if (bugs.length === 0) return tooLarge
  const text = `Claude Code ${version} has bugs that lose sessions. Update it.`
  return [...tooLarge, { kind: 'known-bug', text, evidence: bugs, sessions: main }]
}
