// The journal of the other server, which clients can fetch and play back. Ours holds what was said to agents, in another form.
import type { OpenCodeApp } from '../api.ts'
import { refuseAll } from './common.ts'

const OTHER_JOURNAL =
  'The journal contains the messages of the agents, not the events of this API. Fetch the sessions instead.'

export function addSync(app: OpenCodeApp): void {
  refuseAll(app, [
    ['post', '/sync/history', OTHER_JOURNAL],
    ['post', '/sync/replay', OTHER_JOURNAL],
    ['post', '/sync/start', OTHER_JOURNAL],
    ['post', '/sync/steal', OTHER_JOURNAL],
  ])
}
