// rethread opencode
import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition } from '../command.ts'

const PROGRAM = 'opencode'
const HEALTH_MS = 2000

export const opencodeCommand: CommandDefinition = {
  name: 'opencode',
  arguments: '[args...]',
  summary: "Run OpenCode's terminal client, with conversations that survive every crash",
  options: [],
  help: `Attaches OpenCode's own terminal client to rethread: any agent that "rethread agents" lists, in the
client you know, journalled and restored. A running server is used; otherwise one is started and
ends with the client. Arguments after -- are passed on to "opencode attach". The client may read and
work in the folder it is started in. The token goes to it in its environment, never as an argument.

Examples:
  rethread opencode
  rethread opencode -- --continue
  rethread opencode -- --session ses_0199`,
  async run(invocation) {
    const context = await invocation.context()
    const client = await findClient()
    const { ownToken } = await import('../../disk/state/token-file.ts')
    const { token } = ownToken(context.state)
    const server = (await findRunningServer(context, token)) ?? (await startOwnServer(context, token))
    try {
      const { handOver } = await import('../hand-over.ts')
      const { pathValue, program, textValue, words, written } = await import('../../model/program.ts')
      const address = textValue(`${server.address}/opencode`)
      const list = words('attach', address, '--dir', pathValue(process.cwd()), written(invocation.args))
      // Not as an argument, which every user of the machine can read.
      const env = { OPENCODE_SERVER_PASSWORD: token, OPENCODE_DISABLE_AUTOUPDATE: '1' }
      return await handOver({ program: program(client, list), folder: undefined, env })
    } finally {
      await server.stop()
    }
  },
}

interface Attachable {
  /** Without the token. */
  address: string
  stop(): Promise<void>
}

async function findClient(): Promise<string> {
  const { findCommand } = await import('../../disk/processes/find-command.ts')
  const found = findCommand(PROGRAM, process.cwd(), process.env)
  if (found !== undefined) return found
  throw new RethreadError({
    code: 'not-found',
    text: "OpenCode's terminal client is not installed, or not on the PATH.",
    hint: 'Install it: npm install --global opencode-ai. Or use the page: rethread',
  })
}

/** A recorded server counts only if it accepts our token. */
async function findRunningServer({ state }: Context, token: string): Promise<Attachable | undefined> {
  const { findServer } = await import('../../disk/state/running-server.ts')
  const place = findServer(state)
  if (place === undefined) return undefined
  const address = `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`
  try {
    const authorization = `Bearer ${token}`
    const signal = AbortSignal.timeout(HEALTH_MS)
    const { ok } = await fetch(`${address}/v1/health`, { headers: { authorization }, signal })
    const isUsable = ok && (await allowFolder(address, authorization))
    return isUsable ? { address, stop: async () => undefined } : undefined
  } catch {
    // It does not answer, so a new server is started.
    return undefined
  }
}

/** Asks the running server, which may have been started in another folder, to allow this folder. */
async function allowFolder(address: string, authorization: string): Promise<boolean> {
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ folder: process.cwd() })
  const signal = AbortSignal.timeout(HEALTH_MS)
  return (await fetch(`${address}/api/folders`, { method: 'POST', headers, body, signal })).ok
}

async function startOwnServer(context: Context, token: string): Promise<Attachable> {
  const { join } = await import('node:path')
  const { startServer } = await import('../../server/app.ts')
  const { packageRoot, version } = await import('../version.ts')
  const host = '127.0.0.1'
  const page = join(packageRoot(), 'dist', 'web')
  const server = await startServer({ context, token, host, port: 0, version: version(), page, isPageOptional: true })
  return { address: `http://${host}:${server.port}`, stop: async () => await server.stop() }
}
