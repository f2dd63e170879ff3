// Event streams: bare for one folder or all, and wrapped with the folder of each event.
import type { OpenCodeApp } from '../api.ts'
import { sseResponse } from '../events/sse.ts'
import { stateOf } from '../events/state.ts'
import { type ApiContext, namedDirectory } from './common.ts'

export function addEvents(app: OpenCodeApp): void {
  app.get('/event', context => {
    const directory = namedDirectory(context)
    return sseResponse(context.var.api.bus, {
      format: 'bare',
      ...(directory === undefined ? {} : { directory }),
      ...returning(context),
    })
  })
  // Terminal clients connect here, and again after the server was gone. They do not fetch anything then.
  app.get('/global/event', context => {
    const { api } = context.var
    return sseResponse(api.bus, { format: 'wrapped', state: async () => await stateOf(api), ...returning(context) })
  })
}

function returning({ req }: ApiContext): { lastEventId: string | undefined; signal: AbortSignal } {
  return { lastEventId: req.header('last-event-id'), signal: req.raw.signal }
}
