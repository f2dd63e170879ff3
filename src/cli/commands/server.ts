// rethread server
import type { CommandDefinition } from '../command.ts'
import { serveCommand } from './serve.ts'

export const serverCommand: CommandDefinition = {
  name: 'server',
  summary: 'Serve programs and OpenCode clients: the same as serve, without opening a browser',
  options: serveCommand.options.filter(({ flags }) => flags !== '--no-open'),
  help: `"server" is for programs that start rethread and connect to it. "rethread serve" is for people: it
also opens the page in your browser. Both serve the same page and the same interfaces.

GET /v1/health answers as soon as the server runs. OpenCode clients use http://HOST:PORT/opencode as
their address, and the token as bearer token or as password.

Examples:
  RETHREAD_TOKEN="$(openssl rand -hex 16)" rethread server --port 4280
  rethread server --host 127.0.0.1 --port 4280 --token-file ~/.rethread-token`,
  run: async invocation => await serveCommand.run({ ...invocation, options: { ...invocation.options, open: false } }),
}
