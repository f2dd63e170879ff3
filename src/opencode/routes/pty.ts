// Terminals. The server handles their WebSockets.
import { z } from 'zod'
import type { Api, OpenCodeApp } from '../api.ts'
import { badRequest, unsupported } from '../errors.ts'
import type { TerminalHost } from '../terminal-host.ts'
import { allowedDirectory, namedDirectory, readBody, requireAllowed } from './common.ts'

const MAX_TEXT_CHARS = 1000
const text = z.string().max(MAX_TEXT_CHARS)
/** A name with `=`, or a NUL, would set another variable. */
const variables = z.record(
  z.string().regex(/^[^=\0]+$/),
  z.string().refine(value => !value.includes('\0'), 'contains a NUL'),
)
const createSchema = z.object({
  command: text.min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  cwd: z.string().exactOptional(),
  title: text.exactOptional(),
  env: variables.exactOptional(),
})
const side = z.number().int().positive()
const updateSchema = z.object({
  title: text.exactOptional(),
  size: z.object({ rows: side, cols: side }).exactOptional(),
})

export function addPty(app: OpenCodeApp): void {
  const listening = new WeakSet<Api>()
  /** Publishes terminal events from the first call on. There are no terminals before it. */
  const hostOf = (api: Api): TerminalHost => {
    const { terminals } = api.options
    if (terminals === undefined) throw unsupported('This server has no terminals.')
    if (!listening.has(api)) terminals.on((event, directory) => api.bus.publish([event], { directory }))
    listening.add(api)
    return terminals
  }
  app.get('/pty', context => context.json(hostOf(context.var.api).list(namedDirectory(context))))
  app.get('/pty/shells', context => context.json(hostOf(context.var.api).shells()))
  app.post('/pty', async context => {
    const { cwd, ...wanted } = await readBody(context, createSchema)
    const directory = await allowedDirectory(context)
    if (cwd !== undefined) await requireAllowed(context.var.api, cwd)
    return context.json(hostOf(context.var.api).create({ ...wanted, cwd: cwd ?? directory, directory }))
  })
  app.get('/pty/:id', context => context.json(hostOf(context.var.api).get(context.req.param('id'))))
  app.put('/pty/:id', async context => {
    const change = await readBody(context, updateSchema)
    return context.json(hostOf(context.var.api).update(context.req.param('id'), change))
  })
  app.delete('/pty/:id', context => {
    hostOf(context.var.api).remove(context.req.param('id'))
    return context.json(true)
  })
  app.post('/pty/:id/connect-token', context =>
    context.json(hostOf(context.var.api).issueTicket(context.req.param('id'))),
  )
  app.get('/pty/:id/connect', context => {
    hostOf(context.var.api).get(context.req.param('id'))
    throw badRequest('Connect to a terminal with a WebSocket.', 'Upgrade the connection.')
  })
}
