// The proof of the restores: conversations with the real agents come back after everything was killed. The table of a full run is
// docs/verified-restores.md.
import { existsSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { ACP_AGENTS, binaryOf } from './restores/acp-agents.ts'
import { SCENARIOS } from './restores/index.ts'
import type { Row } from './restores/row.ts'
import { play } from './restores/stage.ts'
import { agentsFolder } from './workshop.ts'

/** A few turns, some of them eight seconds long, and with one agent up to two minutes of waiting for the clock. */
const SCENARIO_TIMEOUT_MS = 600_000

if (agentsFolder === undefined)
  process.stderr.write(
    'Restores are not tried with the real agents: RETHREAD_TEST_REAL_AGENTS names no folder that has them.\n',
  )

const cases = ACP_AGENTS.flatMap(agent => Object.entries(SCENARIOS).map(([name, body]) => ({ agent, name, body })))

describe.skipIf(agentsFolder === undefined)('a conversation with a real agent', () => {
  const folder = agentsFolder ?? ''
  const rows: Row[] = []
  afterAll(() => {
    for (const row of rows) process.stderr.write(`${lineOf(row)}\n`)
  })

  it.each(cases)(
    '$agent.title $agent.version: $name',
    async ({ agent, name, body }) => {
      expect(existsSync(binaryOf(agent, folder)), `${binaryOf(agent, folder)} is not installed`).toBe(true)
      const row = await play(agent, folder, name, body)
      rows.push(row)
      expect(row.faults).toEqual([])
    },
    SCENARIO_TIMEOUT_MS,
  )
})

function lineOf({ agent, version, scenario, strategy, before, after, remarks }: Row): string {
  const history = before === undefined ? '' : `history ${before} → ${after}`
  return [`${agent} ${version}`, scenario, strategy ?? '', history, ...remarks].filter(part => part !== '').join(' | ')
}
