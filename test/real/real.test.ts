// Drives the real agents, where the person who runs the tests has them: RETHREAD_TEST_REAL_AGENTS names the folder (see README.md).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REAL_AGENTS } from './index.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { openAgent } from './real-agent.ts'
import { RESUME_PROMPT, Recorder, type Recording } from './record.ts'

const agents = process.env['RETHREAD_TEST_REAL_AGENTS']
/** Seven processes one after the other, some of which take ten seconds to start on a busy machine. */
const CASE_TIMEOUT_MS = 900_000

if (agents === undefined)
  process.stderr.write('The real agents are not run: RETHREAD_TEST_REAL_AGENTS names no folder that has them.\n')

const versions = REAL_AGENTS.flatMap(commands =>
  commands.versions.map(version => ({ id: commands.id, version, commands })),
)

describe.skipIf(agents === undefined)('the real agents', () => {
  const recordings: Recording[] = []
  let folder: string
  let server: ModelServer
  let recorder: Recorder

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rethread-real-'))
    mkdirSync(join(folder, 'shop'))
    server = await startModelServer()
    recorder = new Recorder(folder, server)
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    for (const row of tableOf(recordings)) process.stderr.write(`${row}\n`)
  })

  it.each(versions)(
    '$id $version resumes a healthy session with everything that was said',
    async ({ commands, version }) => {
      const agent = openAgent(commands, version, { agents: agents ?? '', project: join(folder, 'shop'), server })
      const recording = await recorder.record(agent)
      recordings.push(recording)
      // The last prompt and its answer are history now, and the new prompt is there.
      expect(recording.healthy.history).toBe((recording.turns.at(-1)?.history ?? 0) + 2)
      const sent = JSON.stringify(recording.healthy.messages)
      for (const text of ['add a price field', 'rounding of cents', 'tool-output', 'Sum it up', RESUME_PROMPT])
        expect(sent).toContain(text)
    },
    CASE_TIMEOUT_MS,
  )
})

function tableOf(recordings: Recording[]): string[] {
  const rows = recordings.map(({ agent, turns, healthy }) => {
    const counts = turns.map(turn => String(turn.history).padStart(3)).join('')
    return `${agent.id.padEnd(12)} ${agent.version.padEnd(8)} turns:${counts}   resumed: ${healthy.history}`
  })
  return ['Messages sent by each agent, turn by turn:', ...rows]
}
