// Plays the scenarios with the real agents: node test/real/restores/verify.ts [--agent A] [--scenario S] [--write]
import { parseArgs } from 'node:util'
import { ACP_AGENTS } from './acp-agents.ts'
import { keepRow, writeDocument } from './document.ts'
import { SCENARIOS } from './index.ts'
import { play } from './stage.ts'

const { values } = parseArgs({
  options: {
    agent: { type: 'string' },
    scenario: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const installed = process.env['RETHREAD_TEST_REAL_AGENTS']
if (installed === undefined && !values.write)
  throw new Error('RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents: see test/real/README.md')

if (installed !== undefined && !values.write)
  for (const agent of ACP_AGENTS)
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      if (values.agent !== undefined && values.agent !== agent.name) continue
      if (values.scenario !== undefined && values.scenario !== name) continue
      const row = await play(agent, installed, name, scenario)
      keepRow(row)
      process.stdout.write(`${JSON.stringify(row)}\n`)
    }
if (values.write) writeDocument()
