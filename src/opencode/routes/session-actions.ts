// Actions on a session other than prompts. What its agent cannot do is refused with the reason.
import { z } from 'zod'
import type { Api, OpenCodeApp } from '../api.ts'
import { badRequest, notFound, unsupported } from '../errors.ts'
import { forkSession } from '../fork.ts'
import { type Block, modelSchema } from '../turns/prompt-parts.ts'
import { promptSession, type SessionPrompt } from '../turns/prompt-session.ts'
import { readBody, refuseAll } from './common.ts'

const forkSchema = z.looseObject({ messageID: z.string().optional() })
const summarizeSchema = z.looseObject({ providerID: z.string(), modelID: z.string() })
const commandSchema = z.looseObject({
  command: z.string().min(1),
  arguments: z.string().default(''),
  messageID: z.string().optional(),
  agent: z.string().optional(),
  /** PROVIDER/MODEL, or an object as in a message. */
  model: z.union([z.string(), modelSchema]).optional(),
})

/** The names of agents' commands that compact a conversation. */
const SUMMARIZING = ['compact', 'compress', 'summarize']

const NO_SHARING = 'Sharing is not supported: conversations stay on this machine.'
const NO_REVERT = 'An agent cannot forget messages. Fork the session before that message, and continue there.'
const NO_SHELL =
  'A command cannot run beside the agent, because the agent would not know about it. Ask the agent to run it, or open a terminal.'

export function addSessionActions(app: OpenCodeApp): void {
  app.post('/session/:id/abort', async context => {
    const { sessions, turns } = context.var.api
    await turns.abort((await sessions.find(context.req.param('id'))).id)
    return context.json(true)
  })
  app.post('/session/:id/fork', async context => {
    const { messageID } = await readBody(context, forkSchema)
    return context.json(await forkSession(context.var.api, context.req.param('id'), messageID))
  })
  app.post('/session/:id/summarize', async context => {
    const { providerID, modelID } = await readBody(context, summarizeSchema)
    await summarize(context.var.api, context.req.param('id'), { providerID, modelID })
    return context.json(true)
  })
  app.post('/session/:id/command', async context => {
    const { command, arguments: words, messageID, agent, model } = await readBody(context, commandSchema)
    const said = { prompt: commandPrompt(command, words), messageID, agent, model: readModel(model) }
    return context.json(await runCommand(context.var.api, context.req.param('id'), command, said))
  })
  refuseAll(app, [
    ['post', '/session/:id/share', NO_SHARING],
    ['delete', '/session/:id/share', NO_SHARING],
    ['post', '/session/:id/revert', NO_REVERT],
    ['post', '/session/:id/unrevert', NO_REVERT],
    ['post', '/session/:id/shell', NO_SHELL],
  ])
}

/** Only the agent itself can compact its conversation. */
async function summarize(api: Api, id: string, model: SessionPrompt['model']): Promise<void> {
  const names = await commandsOf(api, id)
  const command = SUMMARIZING.find(name => names.has(name))
  if (command === undefined)
    throw unsupported('This agent has no command to compact a conversation. It may do so on its own.')
  const answer = await promptSession(api, id, {
    prompt: commandPrompt(command, ''),
    messageID: undefined,
    agent: undefined,
    model,
  })
  const { info } = await answer()
  if (info.role === 'assistant' && info.error !== undefined)
    throw badRequest(`The conversation was not compacted: ${describeError(info.error.data)}`)
}

function describeError(data: Record<string, unknown>): string {
  return String(data['message'] ?? 'the agent did not say why')
}

async function runCommand(api: Api, id: string, command: string, said: SessionPrompt) {
  const names = await commandsOf(api, id)
  if (!names.has(command))
    throw notFound(
      `The agent of this session has no command ${command}.`,
      names.size === 0 ? 'It has not listed any yet.' : `It has: ${[...names].join(', ')}`,
    )
  return await (await promptSession(api, id, said))()
}

/**
 * Announced in this session, or by its agent in another one. Agents announce commands when a session starts.
 */
async function commandsOf({ sessions, catalogue }: Api, id: string): Promise<Set<string>> {
  const view = await sessions.view(id)
  const { providerID } = view.toSession()
  const otherSessions = catalogue.commands().filter(({ provider }) => provider === providerID)
  const own = view.commands.length > 0 ? view.commands : otherSessions.map(({ command }) => command)
  return new Set(own.map(({ name }) => name))
}

/** Agents take commands as the text of a message. */
function commandPrompt(command: string, words: string): Block[] {
  return [{ type: 'text', text: words === '' ? `/${command}` : `/${command} ${words}` }]
}

function readModel(model: z.infer<typeof commandSchema>['model']): SessionPrompt['model'] {
  if (typeof model !== 'string') return model && { providerID: model.providerID, modelID: model.modelID }
  const slash = model.indexOf('/')
  if (slash === -1) throw badRequest(`A model is written as PROVIDER/MODEL: ${model} is not.`)
  return { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) }
}
