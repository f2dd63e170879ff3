// rethread serve
import { RethreadError } from '../../model/errors.ts'
import type { RepairPolicy } from '../../repair/queue/queue-policy.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { chooseToken, TOKEN_OPTIONS } from '../token.ts'

export const DEFAULT_PORT = 4180
const DEFAULT_HOST = '127.0.0.1'
const POLICIES: readonly RepairPolicy[] = ['on-resume', 'all', 'never']

export const serveCommand: CommandDefinition = {
  name: 'serve',
  summary: 'Open the page: read, repair and resume all conversations in the browser',
  options: [
    {
      flags: '--port <number>',
      description: `Use this port, or fail if it is taken; without it, ${DEFAULT_PORT} or the next free one`,
    },
    {
      flags: '--host <address>',
      description: `Listen on this address (${DEFAULT_HOST}); any other needs your own token`,
    },
    ...TOKEN_OPTIONS,
    {
      flags: '--allow-origin <origins>',
      description: "Let pages of these origins use /opencode, separated by commas (OpenCode's web interface)",
    },
    { flags: '--no-open', description: 'Do not open the browser' },
    { flags: '--no-archive', description: 'Do not archive sessions while the server runs' },
    { flags: '--repair <when>', description: 'Repair automatically: on-resume (the default), all, or never' },
  ],
  help: `"serve" is for people: it opens the page in your browser. "rethread server" serves the same without
opening it.

Without --host the server listens on this machine only. The token in the address gives as much
access as a shell, so keep it to yourself. It is stored in the state folder, unless RETHREAD_TOKEN
or --token-file gives another.

Reading changes nothing. A repair keeps a copy, and can be undone on the same page.

Examples:
  rethread
  rethread serve --no-open
  rethread serve --port 5000 --repair never
  RETHREAD_TOKEN="$(openssl rand -hex 16)" rethread serve --host 0.0.0.0`,
  async run(invocation) {
    const host = textOption(invocation, 'host') ?? DEFAULT_HOST
    const { token, isOwn } = await chooseToken(invocation, host)
    const context = await invocation.context()
    const { serveUntilStopped } = await import('../serve-until-stopped.ts')
    await serveUntilStopped(invocation, {
      context,
      host,
      token,
      port: portOf(invocation),
      isPortFixed: textOption(invocation, 'port') !== undefined,
      isPageOptional: invocation.options['open'] === false,
      allowedOrigins: originsOf(invocation),
      policy: policyOf(invocation),
      opensBrowser: invocation.options['open'] !== false,
      isOwnToken: isOwn,
      archives: invocation.options['archive'] !== false,
    })
    return EXIT.fine
  },
}

export function portOf(invocation: Invocation): number {
  const given = textOption(invocation, 'port')
  const port = given === undefined ? DEFAULT_PORT : Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw wrong(`"${given}" is not a valid value for --port.`, 'rethread serve --port 4280')
}

/** Throws for what a browser never sends as an origin: it would allow nothing, or seem to allow everything. */
function originsOf(invocation: Invocation): string[] {
  const given = (textOption(invocation, 'allowOrigin') ?? '').split(',').map(origin => origin.trim())
  return given.filter(Boolean).map(origin => {
    if (URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).origin === origin)
      return origin
    throw wrong(
      `"${origin}" is not a valid value for --allow-origin.`,
      'rethread serve --allow-origin https://app.example',
    )
  })
}

function policyOf(invocation: Invocation): RepairPolicy {
  const given = textOption(invocation, 'repair') ?? 'on-resume'
  const policy = POLICIES.find(known => known === given)
  if (policy !== undefined) return policy
  throw wrong(`"${given}" is not a valid value for --repair.`, `Use one of: ${POLICIES.join(', ')}`)
}

function wrong(text: string, hint: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint })
}
