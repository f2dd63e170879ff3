// rethread serve
import { RethreadError } from '../../model/errors.ts'
import type { RepairPolicy } from '../../repair/treatment.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'

const DEFAULT_PORT = 4180
const DEFAULT_HOST = '127.0.0.1'
/** For a server that others can reach: too long to be guessed. */
const MIN_TOKEN_LENGTH = 16
const POLICIES: readonly RepairPolicy[] = ['on-resume', 'all', 'never']

export const serveCommand: CommandDefinition = {
  name: 'serve',
  summary: 'all conversations on a page in the browser: read, repair, resume',
  options: [
    { flags: '--port <number>', description: `the first port that is tried (${DEFAULT_PORT})` },
    { flags: '--host <address>', description: `where it listens (${DEFAULT_HOST}); any other wants --token` },
    { flags: '--token <secret>', description: 'in place of the one that is kept in the state folder' },
    { flags: '--no-open', description: 'do not open the browser' },
    { flags: '--repair <when>', description: 'on-resume (the default), all, or never by itself' },
  ],
  help: `The page is for you alone: it listens on this machine, and whoever has the token in the address may do everything on it.
Nothing is changed by looking. A repair keeps a copy, and can be taken back on the same page.

Examples:
  rethread
  rethread serve --no-open
  rethread serve --port 5000 --repair never`,
  async run(invocation) {
    const { ownToken } = await import('../../disk/token-file.ts')
    const context = await invocation.context()
    const host = textOption(invocation, 'host') ?? DEFAULT_HOST
    const token = await chosenToken(invocation, host, () => ownToken(context.state).token)
    const { serveUntilStopped } = await import('../serve-until-stopped.ts')
    await serveUntilStopped(invocation, {
      context,
      host,
      token,
      port: portOf(invocation),
      policy: policyOf(invocation),
      opensBrowser: invocation.options['open'] !== false,
      isOwnToken: textOption(invocation, 'token') === undefined,
    })
    return EXIT.fine
  },
}

async function chosenToken(invocation: Invocation, host: string, kept: () => string): Promise<string> {
  const { isLoopback } = await import('../../server/auth.ts')
  const given = textOption(invocation, 'token')
  if (!isLoopback(host) && (given === undefined || given.length < MIN_TOKEN_LENGTH))
    throw wrong(
      `Others can reach ${host}: that wants a token of your own, of ${MIN_TOKEN_LENGTH} characters or more.`,
      `rethread serve --host ${host} --token "$(openssl rand -hex 16)"`,
    )
  if (given === '') throw wrong('An empty token lets everybody in.', 'rethread serve --token "$(openssl rand -hex 16)"')
  return given ?? kept()
}

export function portOf(invocation: Invocation): number {
  const given = textOption(invocation, 'port')
  const port = given === undefined ? DEFAULT_PORT : Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw wrong(`--port does not understand "${given}".`, 'rethread serve --port 4280')
}

function policyOf(invocation: Invocation): RepairPolicy {
  const given = textOption(invocation, 'repair') ?? 'on-resume'
  const policy = POLICIES.find(known => known === given)
  if (policy !== undefined) return policy
  throw wrong(`--repair does not understand "${given}".`, `Use one of: ${POLICIES.join(', ')}`)
}

function wrong(text: string, hint: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint })
}
