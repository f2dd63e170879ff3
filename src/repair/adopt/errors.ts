// Why a session of another home is not adopted, and what to do instead.
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'

type Named = Pick<SessionRef, 'sessionId' | 'filePath'>

/** `home` is the other home. */
export function notAdoptable(
  agent: string,
  store: string,
  home: string,
  { sessionId, filePath }: Named,
): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `rethread does not put sessions of other homes into this store of ${agent} (${store}).`,
    hint: `Read it where it is: ${paste(`rethread show --home ${quote(home)}`, sessionId)}\nWrite it to a file: ${paste(`rethread export --home ${quote(home)}`, sessionId)}`,
    path: filePath,
  })
}

export function idTaken(path: string, home: string, { sessionId }: Named): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `This home has another state of session ${sessionId}: ${path}. It is not replaced.`,
    hint: `Adopt it with a new id, beside that one: ${paste(`rethread restore --as-new --from ${quote(home)}`, sessionId)}`,
    path,
  })
}

export function outsideStore(agent: string, path: string, { filePath }: Named): RethreadError {
  return new RethreadError({
    code: 'outside-store',
    text: `${path} is not in a folder of ${agent}, so nothing is written there.`,
    hint: `Read the session where it is: ${paste('rethread show', filePath)}`,
    path,
  })
}

export function otherTables(file: string, table: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${file} has no table ${table}: the other home is of a newer version of the agent.`,
    hint: `Start the agent once in its newest version, then try again. See: sqlite3 -readonly ${quote(file)} .tables`,
    path: file,
  })
}

export function notAHome(folder: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `No agent has sessions below ${folder}.`,
    hint: `Specify a home directory, the folder around those of the agents: ls -a ${quote(folder)}`,
    path: folder,
  })
}
