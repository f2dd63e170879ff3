// The remark of a report entry: what the user can do next.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { putBoth, putOne, run } from '../../../../test/support/jp/run.ts'

const LOST = { 'base_config.json': '{' }

test('a config that is not the conversation’s own lacks its first flags: how they are set again is said', async () => {
  const home = quickHome()
  putOne(home, LOST)
  const { repaired } = await run(home)
  expect(repaired.map(({ remark }) => remark)).toEqual([
    expect.stringMatching(/set them again .*: jp config set -i jp-c17935272000 -c NAME$/),
  ])
})

test('one from the other copy has them, and where they stand in a file of their own nothing is lost', async () => {
  const both = quickHome()
  putBoth(both, LOST, {})
  const apart = quickHome()
  putOne(apart, { ...LOST, 'init_config.json': { timestamp: '2026-11-01 10:00:00.0', delta: {} } })
  for (const home of [both, apart]) {
    const { repaired } = await run(home)
    expect(repaired).toMatchObject([{ file: 'base_config.json' }])
    expect(repaired[0]).not.toHaveProperty('remark')
  }
})

test('a check and a run report what is blocked in the same words, with the command for afterwards', async () => {
  const home = quickHome()
  execFileSync('mkfifo', [join(putOne(home, { 'metadata.json': undefined }), 'metadata.json')])
  for (const mode of ['check', 'repair'] as const) {
    const { blocked, left } = await run(home, { mode })
    expect({ blocked, left }).toMatchObject({
      blocked: [
        {
          error: 'metadata.json is a fifo, and was not opened',
          remark: expect.stringContaining(`then run: rethread sanitize ${join(home, 'shop')}`),
        },
      ],
      left: [],
    })
  }
})

test('what was to expire long ago keeps its date, and how it is kept alive is said', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': '{"title":"T","expires_at":"2026-01-02 00:00:00.0","lab' })
  const { repaired } = await run(home)
  expect(repaired[0]?.remark).toBe(
    `It was to expire at 2026-01-02 00:00:00.0, and JP deletes it when its next command ends. To keep it, take expires_at out of ${join(folder, 'metadata.json')}`,
  )
})
