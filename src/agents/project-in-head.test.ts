// The first lines of a log say where its session ran, however long the first one is.
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../test/support/home.ts'
import { openFile } from '../disk/files/read.ts'
import type { SessionRef } from '../model/session.ts'
import { codex } from './codex/index.ts'
import { awaitProjectInHead, findProjectInHead, readProjectInHead } from './project-in-head.ts'
import type { Store } from './store.ts'

const [store] = codex.stores as [Store]
const session = { agent: 'codex', sessionId: 's' } as SessionRef

/** In each of the three ways. */
function projectsIn(log: string): (string | undefined)[] {
  const home = temporaryHome()
  const file = openFile(put(home, 'log.jsonl', log), home)
  try {
    const found: (string | undefined)[] = []
    awaitProjectInHead(store, session, file, project => found.push(project))
    for (const _ of file.chunks()) break
    found.push(readProjectInHead(store, session, file))
    found.push(findProjectInHead(store, session, () => file.range(0, Math.min(file.identity.size, 8192)), file))
    return found
  } finally {
    file.close()
  }
}

const header = (padding: number): string =>
  `${JSON.stringify({ timestamp: '', type: 'session_meta', payload: { text: 'x'.repeat(padding), cwd: '/home/dev' } })}\n`

test.each([
  ['a short first line', header(10), '/home/dev'],
  ['a first line that is longer than what is read at first', header(20_000), '/home/dev'],
  ['a first line that is too long', header(100_000), undefined],
  ['a first line that is not complete', header(10).trimEnd(), undefined],
  ['a first line that is broken', `{"type":\n${header(10)}`, undefined],
  ['a header without a folder', '{"timestamp":"","type":"session_meta","payload":{}}\n', undefined],
])('%s: what it says of the folder', (_, log, project) => {
  expect(projectsIn(log)).toEqual([project, project, project])
})
