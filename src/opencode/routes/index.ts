// THE LIST of routes, by noun.
import type { OpenCodeApp } from '../api.ts'
import { addAgents } from './agent.ts'
import { addConfig } from './config.ts'
import { addEvents } from './event.ts'
import { addExperimental } from './experimental.ts'
import { addFiles } from './file.ts'
import { addFind } from './find.ts'
import { addGlobal } from './global.ts'
import { addMessages } from './message.ts'
import { addFormatters, addLsp, addMcp, addSync } from './not-available.ts'
import { addPaths } from './path.ts'
import { addPermissions } from './permission.ts'
import { addProviders } from './provider.ts'
import { addPty } from './pty.ts'
import { addQuestions } from './question.ts'
import { addSessions } from './session.ts'
import { addSessionActions } from './session-actions.ts'
import { addTui } from './tui.ts'
import { addVcs } from './vcs.ts'

const nouns: readonly ((app: OpenCodeApp) => void)[] = [
  addGlobal,
  addEvents,
  addPaths,
  addVcs,
  addConfig,
  addProviders,
  addAgents,
  addSessions,
  addSessionActions,
  addMessages,
  addPermissions,
  addQuestions,
  addFiles,
  addFind,
  addPty,
  addMcp,
  addLsp,
  addFormatters,
  addTui,
  addExperimental,
  addSync,
]

export function addRoutes(app: OpenCodeApp): void {
  for (const add of nouns) add(app)
}
