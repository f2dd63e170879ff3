// Lets the real agents call the tools of rethread: node test/real/mcp/verify.ts [--agent A] [--write]
import { parseArgs } from 'node:util'
import { REAL_AGENTS } from '../index.ts'
import { startModelServer } from '../model-server.ts'
import { verifyMcp } from './case.ts'
import { keepRow, writeDocument } from './document.ts'

const { values } = parseArgs({
  options: { agent: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const agents = process.env['RETHREAD_TEST_REAL_AGENTS']
if (agents === undefined && !values.write)
  throw new Error('RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents: see test/real/README.md')

if (agents !== undefined && !values.write) {
  const server = await startModelServer()
  for (const commands of REAL_AGENTS)
    for (const version of commands.versions) {
      const { id, title, npmPackage } = commands
      if (values.agent !== undefined && !`${id}-${version}`.startsWith(values.agent)) continue
      for (const seen of await verifyMcp({ id, version, commands }, agents, server)) {
        keepRow({ agent: title, npmPackage, version, ...seen })
        process.stdout.write(`${id} ${version} ${JSON.stringify(seen)}\n`)
      }
    }
  await server.stop()
}
if (values.write) writeDocument()
