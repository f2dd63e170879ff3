// The server itself: health, dispose and log.
import { z } from 'zod'
import type { Api, OpenCodeApp } from '../api.ts'
import { directoryOf, readBody, refuseAll } from './common.ts'

const logSchema = z.looseObject({ service: z.string(), level: z.string(), message: z.string() })
const MAX_LOGGED_CHARS = 2000

export function addGlobal(app: OpenCodeApp): void {
  app.get('/global/health', context => context.json({ healthy: true, version: context.var.api.version }))
  /** Clients then reload everything. Conversations continue, since other clients may use them. */
  app.post('/global/dispose', context => {
    dispose(context.var.api, undefined)
    return context.json(true)
  })
  app.post('/instance/dispose', context => {
    dispose(context.var.api, directoryOf(context))
    return context.json(true)
  })
  app.post('/log', async context => {
    const { service, level, message } = await readBody(context, logSchema)
    context.var.api.options.log('Log entry from a client.', {
      service,
      level,
      message: message.slice(0, MAX_LOGGED_CHARS),
    })
    return context.json(true)
  })
  refuseAll(app, [['post', '/global/upgrade', 'rethread does not update itself. Run: npm install --global rethread']])
}

function dispose({ bus, folders }: Api, directory: string | undefined): void {
  const where = directory ?? folders.directory
  bus.publish([{ type: 'server.instance.disposed', properties: { directory: where } }], { directory: where })
  if (directory === undefined) bus.publish([{ type: 'global.disposed', properties: {} }])
}
