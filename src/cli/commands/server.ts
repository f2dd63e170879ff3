// rethread server
import type { CommandDefinition } from '../command.ts'
import { serveCommand } from './serve.ts'

export const serverCommand: CommandDefinition = {
  name: 'server',
  summary: 'Serve programs: like serve without a browser; OpenCode clients connect below /opencode',
  options: serveCommand.options.filter(({ flags }) => flags !== '--no-open'),
  help: `Everything that "rethread serve" serves, for clients that start it themselves. GET /v1/health answers as soon as it runs; clients of
OpenCode take http://HOST:PORT/opencode as their address, and the token as bearer or as password.

Examples:
  RETHREAD_TOKEN="$(openssl rand -hex 16)" rethread server --port 4280
  rethread server --host 127.0.0.1 --port 4280 --token-file ~/.rethread-token`,
  run: async invocation => await serveCommand.run({ ...invocation, options: { ...invocation.options, open: false } }),
}
