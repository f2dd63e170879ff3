// The agents with their default models, and the commands they have announced.
import type { OpenCodeApp } from '../api.ts'

export function addAgents(app: OpenCodeApp): void {
  app.get('/agent', context => {
    const { catalogue } = context.var.api
    const { all, connected } = catalogue.providers()
    const agents = all.filter(({ id }) => connected.includes(id))
    return context.json(
      agents.map(({ id, name }) => ({
        name: id,
        description: name,
        mode: 'primary',
        native: false,
        builtIn: false,
        hidden: false,
        // The agent asks by its own rules.
        permission: [],
        tools: {},
        options: {},
        model: { providerID: id, modelID: catalogue.defaultModel(id) },
      })),
    )
  })
  app.get('/command', context =>
    context.json(
      context.var.api.catalogue.commands().map(({ provider, command: { name, description } }) => ({
        name,
        description,
        agent: provider,
        source: 'command',
        template: `/${name} $ARGUMENTS`,
        hints: ['$ARGUMENTS'],
      })),
    ),
  )
  /** Agents announce their skills as commands. */
  app.get('/skill', context => context.json([]))
}
