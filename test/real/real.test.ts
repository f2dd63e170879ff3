// Drives the real agents, where the person who runs the tests has them: RETHREAD_TEST_REAL_AGENTS names the folder (see README.md).
import { afterAll, describe, expect, it } from 'vitest'
import { RESUME_PROMPT, type Recording } from './record.ts'
import { agentsFolder, versions, workshopOfSuite } from './workshop.ts'

/** Seven processes one after the other, some of which take ten seconds to start on a busy machine. */
const CASE_TIMEOUT_MS = 900_000

if (agentsFolder === undefined)
  process.stderr.write('The real agents are not run: RETHREAD_TEST_REAL_AGENTS names no folder that has them.\n')

describe.skipIf(agentsFolder === undefined)('the real agents', () => {
  const recordings: Recording[] = []
  const workshop = workshopOfSuite()
  afterAll(() => {
    for (const row of tableOf(recordings)) process.stderr.write(`${row}\n`)
  })

  it.each(versions)(
    '$id $version resumes a healthy session with everything that was said',
    async version => {
      const recording = await workshop.recorder().record(workshop.open(version))
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
