// rethread restore --from, as a person and a script use it.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rethread, rethreadInTurn } from '../support/cli.ts'
import { temporaryHome } from '../support/home.ts'
import { recordedHome } from '../support/recorded.ts'

test('sessions of another home are planned, adopted once, listed, and taken back', async () => {
  const from = recordedHome('claude-code-2.1.325')
  const home = temporaryHome()
  const project = join(home, 'shop')
  mkdirSync(project)
  const run = (...args: string[]) => rethreadInTurn(home, '--state', join(home, 'state'), ...args)
  const json = async (...args: string[]) => JSON.parse((await run('--json', ...args)).stdout)
  const [{ project: folder }] = JSON.parse((await rethreadInTurn(from, '--json', 'list')).stdout).sessions
  const adopt = ['restore', '--from', from, '--map', `${folder}=${project}`]
  const plan = await rethread(home, '--state', join(home, 'state'), ...adopt, '--dry-run')
  expect(plan).toMatchObject({ status: 0, stdout: expect.stringContaining(`in ${project}`) })
  expect(plan.stdout).toContain(`Paths below ${folder} become ${project}`)
  expect(existsSync(join(home, '.claude'))).toBe(false)
  const { sessions } = await json(...adopt)
  expect(sessions).toMatchObject([{ status: 'adopted', project: { from: folder, to: project } }])
  const [{ sessionId, receipt }] = sessions
  expect((await json('check', sessionId)).sessions).toMatchObject([{ status: 'healthy' }])
  expect((await run(...adopt)).stdout).toContain('1 here already')
  expect((await run('undo', receipt, '--force')).status).toBe(0)
  expect((await json('list')).sessions).toEqual([])
})

test('options for another home are not taken without one, and a folder without sessions is an error', async () => {
  const home = temporaryHome()
  const run = (...args: string[]) => rethreadInTurn(home, '--state', join(home, 'state'), ...args)
  for (const args of [['--map', 'a=b', 'x'], ['--dry-run', 'x'], [], ['--from', home, '--at', '2h']])
    expect(await run('restore', ...args)).toMatchObject({ status: 2 })
  const empty = temporaryHome()
  expect(await run('restore', '--from', empty)).toMatchObject({
    status: 5,
    stderr: expect.stringContaining('Specify a home directory'),
  })
})
