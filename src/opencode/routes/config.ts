// The settings that clients store on the server.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { readBody } from './common.ts'

const configSchema = z.record(z.string(), z.unknown())

export function addConfig(app: OpenCodeApp): void {
  for (const path of ['/config', '/global/config']) {
    app.get(path, context => context.json(context.var.api.config.get()))
    app.patch(path, async context => context.json(context.var.api.config.change(await readBody(context, configSchema))))
  }
}
