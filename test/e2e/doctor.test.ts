// rethread doctor, move and relink, as processes of their own: a person, a script, two at once, and one that is killed.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FixResult } from '../../src/doctor/fix.ts'
import { doctorReportSchema } from '../../src/doctor/report.ts'
import { rethreadWith } from '../support/cli.ts'
import { runSql } from '../support/database.ts'
import { doctorStage, foldersIn, lostIn, moveKilledAt } from '../support/doctor-stage.ts'
import { inFull } from '../support/full.ts'
import { put, temporaryHome } from '../support/home.ts'
import { hashesIn, traceOf } from '../support/moved-folders.ts'

describe('doctor', () => {
  test('says of an empty home that it has no sessions', async () => {
    const home = temporaryHome()
    const result = await rethreadWith(home, {}, '--state', join(home, 'state'), 'doctor')
    expect(result).toEqual({ status: 0, stderr: '', stdout: 'No agent has sessions on this disk.\n' })
  })

  test('names a moved folder with evidence, and the command works as pasted, whatever the folder is called', async () => {
    const { folder, run, doctor, paste } = await doctorStage()
    let at = folder
    const names = inFull(
      ["it's my shop", '-rf "new" $(touch CANARY)\\ `x`', 'two\nlines'],
      [`-rf "it's" $(touch CANARY)`],
    )
    for (const name of [...names, '--help']) {
      const to = join(dirname(folder), name)
      renameSync(at, to)
      const { stdout, status } = await run('doctor')
      expect(status).toBe(3)
      expect(stdout).toContain('It is the same folder: an earlier run saw the same inode at the old path.')
      expect(stdout).toContain('1 conversation of Claude Code, 1 of Codex, 1 of Gemini CLI, 1 of OpenCode')
      const command = /^ {2}Fix it: (.+)$/m.exec(stdout)?.[1] ?? ''
      expect(await paste(`${command} --force`)).toMatchObject({ status: 0, stderr: '' })
      const after = await doctor()
      expect([lostIn(after), foldersIn(after)]).toEqual([[], new Set([`listed ${to}`])])
      at = to
    }
    expect(readdirSync(dirname(folder))).toEqual(['--help'])
  })

  test('--json is the report of the schema, and changes nothing', async () => {
    const { home, folder, runWith } = await doctorStage()
    const to = join(dirname(folder), 'store')
    renameSync(folder, to)
    const before = traceOf(home)
    const { stdout, status } = await runWith({}, 'doctor', '--json')
    const report = doctorReportSchema.parse(JSON.parse(stdout))
    expect(report).toEqual(JSON.parse(stdout))
    expect([status, report.totals]).toEqual([3, { sessions: 4, listed: 0, lost: 4, unknown: 0 }])
    expect(report.findings).toMatchObject([
      { kind: 'folder-moved', isFixable: true, folder: { from: folder, to }, command: `rethread move ${folder} ${to}` },
    ])
    expect(traceOf(home)).toEqual(before)
  })

  test('--fix makes a second doctor silent, and undo puts every byte and row back', async () => {
    const { home, folder, run, doctor, paste } = await doctorStage()
    const to = join(dirname(folder), 'store')
    renameSync(folder, to)
    const before = hashesIn(home)
    const planned = traceOf(home)
    expect((await run('doctor', '--fix', '--dry-run')).status).toBe(3)
    expect(traceOf(home)).toEqual(planned)
    const fixed = await run('doctor', '--fix', '--yes', '--force')
    expect([fixed.status, fixed.stdout.match(/^fixed /gm)]).toEqual([0, ['fixed ', 'fixed ', 'fixed ', 'fixed ']])
    expect(await run('doctor')).toEqual({
      status: 0,
      stderr: '',
      stdout: '4 sessions on disk: 4 listed by their agent.\n',
    })
    expect(foldersIn(await doctor())).toEqual(new Set([`listed ${to}`]))
    expect((await run('doctor', '--fix', '--yes')).stdout).toContain('There is nothing to fix.')
    for (const [command] of [...fixed.stdout.matchAll(/rethread undo \S+/g)].toReversed())
      expect(await paste(`${command} --force`)).toMatchObject({ status: 0, stderr: '' })
    expect(hashesIn(home)).toEqual(before)
  })
})

describe('move', () => {
  test('--dry-run prints the plan and writes nothing', async () => {
    const { home, folder, run } = await doctorStage()
    const before = traceOf(home)
    const { status, stdout } = await run('move', folder, `${folder}-2`, '--dry-run')
    expect(status).toBe(0)
    for (const title of ['Claude Code', 'Codex', 'Gemini CLI', 'OpenCode'])
      expect(stdout).toContain(`${title}: 1 conversation.`)
    const asJson = JSON.parse((await run('move', folder, `${folder}-2`, '--dry-run', '--json')).stdout)
    expect([asJson.plan.length, asJson.results]).toEqual([4, []])
    expect((await run('move', folder, `${folder}-2`, '--dry-run', '--also-move')).status).toBe(0)
    expect([traceOf(home), existsSync(`${folder}-2`)]).toEqual([before, false])
  })

  test('takes a whole tree for all agents at once, and no sibling with the same beginning', async () => {
    const { home, folder, run, doctor, undoAll } = await doctorStage({ project: 'code/team/shop' })
    const code = dirname(dirname(folder))
    const src = join(dirname(code), 'src')
    const sibling = `${code}-old/blog`
    const line = { type: 'user', cwd: sibling, sessionId: 'b', uuid: 'b', message: { role: 'user', content: 'Hi' } }
    const id = '00000000-0000-4000-8000-00000000000b'
    mkdirSync(sibling, { recursive: true })
    put(home, `.claude/projects/${sibling.replace(/[^a-zA-Z0-9-]/g, '-')}/${id}.jsonl`, `${JSON.stringify(line)}\n`)
    const before = hashesIn(home)
    renameSync(code, src)
    expect((await run('move', code, src, '--yes', '--force')).status).toBe(0)
    const after = await doctor()
    expect(lostIn(after)).toEqual([])
    expect(foldersIn(after)).toEqual(new Set([`listed ${src}/team/shop`, `listed ${sibling}`]))
    await undoAll()
    expect(hashesIn(home)).toEqual(before)
  })

  test('--also-move moves the folder last, by a relative name with a leading dash too, and undo moves it back', async () => {
    const { home, folder, doctor, paste, undoAll } = await doctorStage({ project: 'code/-shop' })
    writeFileSync(join(folder, 'cart.js'), 'kept\n')
    const before = hashesIn(home)
    expect(await paste(`rethread move --also-move --force -- -shop 'new shop'`, dirname(folder))).toMatchObject({
      status: 0,
      stderr: '',
    })
    const to = join(dirname(folder), 'new shop')
    expect([readFileSync(join(to, 'cart.js'), 'utf8'), existsSync(folder)]).toEqual(['kept\n', false])
    expect(foldersIn(await doctor())).toEqual(new Set([`listed ${to}`]))
    await undoAll()
    expect([hashesIn(home), existsSync(join(folder, 'cart.js')), existsSync(to)]).toEqual([before, true, false])
  })

  test('of two at once nothing is lost, and one undo of each receipt puts every byte back', async () => {
    const { home, folder, runWith, doctor, undoAll } = await doctorStage()
    const before = hashesIn(home)
    const to = join(dirname(folder), 'store')
    renameSync(folder, to)
    const both = await Promise.all([1, 2].map(() => runWith({}, 'move', folder, to, '--yes', '--force', '--json')))
    const results = both.flatMap(({ stdout }) => (JSON.parse(stdout) as { results: FixResult[] }).results)
    for (const { error } of results) expect([undefined, 'locked', 'plan-outdated', 'busy']).toContain(error?.code)
    const after = await doctor()
    expect([lostIn(after), foldersIn(after)]).toEqual([[], new Set([`listed ${to}`])])
    await undoAll()
    expect(hashesIn(home)).toEqual(before)
  })
})

test.runIf(process.platform === 'linux')('a move that is killed in the middle is settled by the next one', async () => {
  expect(await moveKilledAt(4, await doctorStage())).toBe(true)
})

test('relink brings one session back, says so where there is nothing to do, and can be undone', async () => {
  const { home, run, doctor, undoAll } = await doctorStage({ names: ['codex-0.166.0'] })
  runSql(join(home, '.codex/state_5.sqlite'), `UPDATE threads SET rollout_path = '${home}/.codex/gone.jsonl'`)
  const before = hashesIn(home)
  const { stdout, status } = await run('doctor')
  const id = /rethread relink (\S+)/.exec(stdout)?.[1] ?? ''
  expect([status, id]).toEqual([3, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  const planned = traceOf(home)
  expect((await run('relink', id, '--dry-run')).status).toBe(0)
  expect(traceOf(home)).toEqual(planned)
  expect(await run('relink', id, '--force')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('fixed Codex'),
  })
  expect(lostIn(await doctor())).toEqual([])
  expect((await run('relink', id)).stdout).toBe('Its agent lists this session. Nothing was changed.\n')
  await undoAll()
  expect(hashesIn(home)).toEqual(before)
  expect((await run('relink', 'unknown')).status).toBe(5)
})

/** A process that is called as the agent is, with this home. */
async function startStandIn(home: string): Promise<{ end(): Promise<void> }> {
  const script = put(temporaryHome(), 'claude/cli.mjs', "process.stdout.write('ready'); setInterval(() => {}, 1000)")
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = new Promise(resolve => child.on('exit', resolve))
  const end = async () => {
    child.kill('SIGKILL')
    await exit
  }
  onTestFinished(end)
  await new Promise(resolve => child.stdout.once('data', resolve))
  return { end }
}

describe.runIf(process.platform === 'linux')('while Claude Code runs in this home', () => {
  test('.claude.json is left with the command that changes it later; the sessions are relinked', async () => {
    const { home, folder, run, doctor, paste, undoAll } = await doctorStage({ names: ['claude-code-2.1.325'] })
    const to = join(dirname(folder), 'new shop')
    renameSync(folder, to)
    const stateOf = (path: string) => JSON.stringify({ projects: { [path]: { allowedTools: ['Bash'] } } }, null, 2)
    const file = put(home, '.claude.json', stateOf(folder))
    const before = hashesIn(home)
    const agent = await startStandIn(home)
    const { stdout, status } = await run('doctor', '--fix', '--yes', '--force')
    expect([status, stdout]).toEqual([0, expect.stringContaining('fixed Claude Code: 1 conversation.')])
    expect(stdout).toContain(`Claude Code is running and would write over ${file}`)
    expect(foldersIn(await doctor())).toEqual(new Set([`listed ${to}`]))
    expect(readFileSync(file, 'utf8')).toBe(stateOf(folder))
    const command = /Close Claude Code, then run: (.+)$/m.exec(stdout)?.[1] ?? ''
    const refused = await paste(`${command} --force`)
    expect([refused.status, refused.stdout]).toEqual([5, expect.stringContaining('Claude Code is running')])
    expect(readFileSync(file, 'utf8')).toBe(stateOf(folder))
    await agent.end()
    expect(await paste(`${command} --force`)).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe(stateOf(to))
    await undoAll()
    expect(hashesIn(home)).toEqual(before)
  })

  test('a process of another home does not count', async () => {
    const { home, folder, run } = await doctorStage({ names: ['claude-code-2.1.325'] })
    const file = put(home, '.claude.json', JSON.stringify({ projects: { [folder]: {} } }))
    await startStandIn(temporaryHome())
    expect((await run('move', folder, `${folder}-2`, '--yes', '--force')).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ projects: { [`${folder}-2`]: {} } }))
  })
})
