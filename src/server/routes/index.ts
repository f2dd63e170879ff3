// The list of routes, by noun.
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { addAgents } from './agents.ts'
import { addArchive } from './archive.ts'
import { addConversations } from './conversations.ts'
import { addDoctor } from './doctor.ts'
import { addExports } from './exports.ts'
import { addFolders } from './folders.ts'
import { addMessages } from './messages.ts'
import { addOverview } from './overview.ts'
import { addReceipts } from './receipts.ts'
import { addRepairs } from './repairs.ts'
import { addSanitize } from './sanitize.ts'
import { addSearch } from './search.ts'
import { addServer } from './server.ts'
import { addSessions } from './sessions.ts'

const nouns: readonly ((app: App, services: Services) => void)[] = [
  addServer,
  addAgents,
  addOverview,
  addDoctor,
  addSessions,
  addMessages,
  addSearch,
  addExports,
  addRepairs,
  addSanitize,
  addReceipts,
  addArchive,
  addConversations,
  addFolders,
]

export function addRoutes(app: App, services: Services): void {
  for (const add of nouns) add(app, services)
}
