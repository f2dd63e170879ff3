// Why a session is not restored, and what to do instead.
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'

type Named = Pick<SessionRef, 'sessionId' | 'filePath'>

export function stillThere({ sessionId, filePath }: Named): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `Session ${sessionId} is where its agent finds it. To restore an earlier state, specify --at.`,
    hint: `See its restore points: ${paste('rethread versions', sessionId)}`,
    path: filePath,
  })
}

export function taken(path: string, { sessionId }: Named): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} holds another session now, and is not replaced.`,
    hint: `Restore it beside that one, with a new id: ${paste('rethread restore --as-new', sessionId)}`,
    path,
  })
}

export function notRenewable(store: string, { sessionId, filePath }: Named): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `A session of this store (${store}) cannot have a new id.`,
    hint: `Write it to a folder: ${paste('rethread restore --to ./restored', sessionId)}`,
    path: filePath,
  })
}

export function readOnlyDatabase(agent: string, { sessionId, filePath }: Named): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `rethread does not write into the databases of ${agent}: only the program itself knows how.`,
    hint: `Write the session to a folder: ${paste('rethread restore --to ./restored', sessionId)}`,
    path: filePath,
  })
}

export function tooLarge(path: string, bytes: number): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} has ${bytes} bytes, which is too many to change them while it is restored.`,
    hint: 'Write its files to a folder: rethread restore SESSION --to ./restored',
    path,
  })
}

/** The paths come from the archive, which may be that of another machine. */
export function outsideStore(agent: string, path: string, { sessionId }: Named): RethreadError {
  return new RethreadError({
    code: 'outside-store',
    text: `${path} is not in a folder of ${agent}, so nothing is written there.`,
    hint: `Write its files to a folder: ${paste('rethread restore --to ./restored', sessionId)}`,
    path,
  })
}
