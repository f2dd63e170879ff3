// Agents as providers, with their models. A person logs in to each agent directly.
import type { OpenCodeApp } from '../api.ts'
import { refuseAll } from './common.ts'

const OWN_LOGIN = 'Each agent keeps its own login: start it once on its own and log in there.'

export function addProviders(app: OpenCodeApp): void {
  app.get('/provider', context => {
    const { catalogue } = context.var.api
    return context.json({ ...catalogue.providers(), default: catalogue.defaults() })
  })
  /** Only installed agents. */
  app.get('/config/providers', context => {
    const { catalogue } = context.var.api
    const { all, connected } = catalogue.providers()
    return context.json({ providers: all.filter(({ id }) => connected.includes(id)), default: catalogue.defaults() })
  })
  app.get('/provider/auth', context => context.json({}))
  refuseAll(app, [
    ['post', '/provider/:provider/oauth/authorize', OWN_LOGIN],
    ['post', '/provider/:provider/oauth/callback', OWN_LOGIN],
    ['put', '/auth/:provider', OWN_LOGIN],
    ['delete', '/auth/:provider', OWN_LOGIN],
  ])
}
