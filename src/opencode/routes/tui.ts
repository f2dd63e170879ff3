// Requests to the attached terminal clients, published as events.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { TuiControl } from '../tui-control.ts'
import { type ApiContext, namedDirectory, readBody, untilClientLeaves } from './common.ts'

const append = z.object({ text: z.string() })
const execute = z.object({ command: z.string().min(1) })
const toast = z.object({
  title: z.string().optional(),
  message: z.string(),
  variant: z.enum(['info', 'success', 'warning', 'error']).default('info'),
  duration: z.number().positive().optional(),
})
const select = z.object({ sessionID: z.string().min(1) })
const publishSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('tui.prompt.append'), properties: append }),
  z.object({ type: z.literal('tui.command.execute'), properties: execute }),
  z.object({ type: z.literal('tui.toast.show'), properties: toast }),
  z.object({ type: z.literal('tui.session.select'), properties: select }),
])

/** The commands behind calls without a body. */
const COMMANDS: Record<string, string> = {
  'open-help': 'help.show',
  'open-sessions': 'session.list',
  'open-themes': 'theme.switch',
  'open-models': 'model.list',
  'submit-prompt': 'prompt.submit',
  'clear-prompt': 'prompt.clear',
}
/** The names of keys in a configuration. Any other name is a command already. */
const ALIASES: Record<string, string> = {
  session_new: 'session.new',
  session_share: 'session.share',
  session_interrupt: 'session.interrupt',
  session_compact: 'session.compact',
  messages_page_up: 'session.page.up',
  messages_page_down: 'session.page.down',
  messages_line_up: 'session.line.up',
  messages_line_down: 'session.line.down',
  messages_half_page_up: 'session.half.page.up',
  messages_half_page_down: 'session.half.page.down',
  messages_first: 'session.first',
  messages_last: 'session.last',
  agent_cycle: 'agent.cycle',
}
/** The answer to a poll without a request. The protocol has no other form for it. */
const NOTHING = { path: '', body: {} }

export function addTui(app: OpenCodeApp): void {
  const control = new TuiControl()
  const publishToClients = (context: ApiContext, event: OpenCodeEvent): Response => {
    const directory = namedDirectory(context)
    context.var.api.bus.publish([event], directory === undefined ? {} : { directory })
    const path = context.req.path.slice(context.req.path.lastIndexOf('/tui/'))
    control.ask({ path, body: event.properties })
    return context.json(true)
  }
  for (const [name, command] of Object.entries(COMMANDS))
    app.post(`/tui/${name}`, context =>
      publishToClients(context, { type: 'tui.command.execute', properties: { command } }),
    )
  app.post('/tui/append-prompt', async context =>
    publishToClients(context, { type: 'tui.prompt.append', properties: await readBody(context, append) }),
  )
  app.post('/tui/execute-command', async context => {
    const { command } = await readBody(context, execute)
    return publishToClients(context, {
      type: 'tui.command.execute',
      properties: { command: ALIASES[command] ?? command },
    })
  })
  app.post('/tui/show-toast', async context =>
    publishToClients(context, { type: 'tui.toast.show', properties: await readBody(context, toast) }),
  )
  app.post('/tui/select-session', async context => {
    const { sessionID } = await readBody(context, select)
    const { id } = await context.var.api.sessions.view(sessionID)
    return publishToClients(context, { type: 'tui.session.select', properties: { sessionID: id } })
  })
  app.post('/tui/publish', async context => publishToClients(context, await readBody(context, publishSchema)))
  app.get('/tui/control/next', async context => {
    const next = async (signal: AbortSignal) => await control.next(signal)
    return context.json((await untilClientLeaves(context.var.api.bus, context.req.raw.signal, next)) ?? NOTHING)
  })
  // Ignored: the original request was already answered with true.
  app.post('/tui/control/response', async context => {
    await readBody(context, z.unknown())
    return context.json(true)
  })
}
