// Every recorded agent and version: the conversations of a folder that moved.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { hashesIn, lost, move, RECORDED } from '../../test/support/moved-folders.ts'
import { RECORDINGS, recordedHome } from '../../test/support/recorded.ts'
import { makeContext } from '../catalog/context.ts'
import { undoRepair } from '../repair/undo.ts'
import { runDoctor } from './doctor.ts'
import { doctorReportSchema } from './report.ts'

const NAMES = RECORDINGS.filter(name => /^(?:claude-code|codex|gemini-cli|opencode)-/.test(name))

test.each(NAMES)('%s: a moved folder is listed at its new path, and an undo puts every byte back', async name => {
  const home = recordedHome(name)
  const before = hashesIn(home)
  const folder = join(temporaryHome(), 'store')
  mkdirSync(folder)
  const context = makeContext({ home, state: join(temporaryHome(), 'state'), logLevel: 'silent' })
  const results = await move(context, RECORDED, folder)
  expect(results.map(({ receipt }) => receipt)).toEqual([expect.any(String)])
  const diagnosis = await runDoctor(context)
  expect(doctorReportSchema.parse(diagnosis.report)).toEqual(diagnosis.report)
  expect(lost(diagnosis)).toEqual([])
  const listed = diagnosis.report.sessions.filter(({ state }) => state === 'listed')
  // A hash has no way back to the path.
  if (!name.startsWith('gemini-cli-0.20'))
    expect(new Set(listed.map(session => session.folder))).toEqual(new Set([folder]))
  for (const { receipt } of results) await undoRepair(context, receipt ?? '', { force: true })
  expect(hashesIn(home)).toEqual(before)
})
