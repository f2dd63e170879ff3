// What the routes work with, once the journal is open.
import type { Hono } from 'hono'
import type { Bus } from './events/bus.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { ClientConfig } from './client-config.ts'
import type { Folders } from './folders.ts'
import type { SessionIds } from './ids.ts'
import type { OpenCodeOptions, OpenJournal } from './options.ts'
import type { Views } from './projection/views.ts'
import type { Roots } from './roots.ts'
import type { Sessions } from './sessions.ts'
import type { Replies } from './turns/replies.ts'
import type { Turns } from './turns/turns.ts'

export interface Api extends OpenJournal {
  views: Views
  bus: Bus
  sessions: Sessions
  turns: Turns
  replies: Replies
  catalogue: Catalogue
  config: ClientConfig
  ids: SessionIds
  folders: Folders
  roots: Roots
  version: string
  options: OpenCodeOptions
}

export type OpenCodeApp = Hono<{ Variables: { api: Api } }>
