// What is closed is really gone, whatever it does about it.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeStage, watch } from '../../../test/support/terminals.ts'
import { isRunning } from '../../disk/processes/process-identity.ts'

const QUICK = { limits: { hangUpMs: 300 } }

/** All of the numbers that a script printed as `pid N`. */
function pidsIn(shown: string): number[] {
  return [...shown.matchAll(/pid (\d+)/g)].map(match => Number(match[1]))
}

describe('closing', () => {
  test('asks what runs to end, lets it say its last words, and takes it off the list', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'trap "echo good bye; exit 7" HUP; echo ready; while :; do sleep 0.02; done')
    await watcher.sees('ready')
    stage.terminals.close(id)
    stage.terminals.close(id)
    expect(await watcher.seesExit()).toEqual({ code: 7, signal: null })
    expect(watcher.shown).toContain('good bye')
    expect(stage.terminals.list()).toEqual([])
  })

  test('wakes one that was stopped', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'echo ready; kill -STOP $$; echo awake')
    await watcher.sees('ready')
    stage.terminals.close(id)
    expect(await watcher.seesExit()).toEqual({ code: null, signal: 'SIGHUP' })
  })

  test('ends only when the last process has, though the first went at once', async () => {
    const stage = makeStage(QUICK)
    const { id, watcher } = watch(stage, '(trap "" HUP; exec sleep 60) & echo pid $! ; echo ready; read word')
    await watcher.sees('ready')
    const [child = 0] = pidsIn(watcher.shown)
    expect(isRunning(child)).toBe(true)
    let wasLeft = true
    stage.terminals.on('exit', () => {
      wasLeft = !isEnded(child)
    })
    stage.terminals.close(id)
    await watcher.seesExit()
    expect(wasLeft).toBe(false)
  })
})

describe('stopping', () => {
  test('leaves no process, not even one that ignores the hang-up and its child', async () => {
    const stage = makeStage(QUICK)
    const stubborn =
      'trap "" HUP TERM INT; echo pid $$; (trap "" HUP TERM INT; echo pid $(sh -c "echo \\$PPID"); echo ready; while :; do sleep 1; done) & while :; do sleep 1; done'
    const { watcher } = watch(stage, stubborn)
    const other = watch(stage, 'echo pid $$; echo ready; read word')
    await Promise.all([watcher.sees(/ready/), other.watcher.sees('ready')])
    const pids = pidsIn(watcher.shown + other.watcher.shown)
    expect(pids.length).toBe(3)
    expect(pids.every(isRunning)).toBe(true)
    await stage.terminals.stop()
    expect(pids.filter(pid => !isEnded(pid))).toEqual([])
    expect(watcher.exits).toEqual([{ code: null, signal: 'SIGKILL' }])
    expect(other.watcher.exits).toEqual([{ code: null, signal: 'SIGHUP' }])
    expect(() => watch(stage, 'exit 0')).toThrow(expect.objectContaining({ code: 'stopped' }))
  })

  test.skipIf(process.platform !== 'linux')(
    'ends also jobs that a shell has put into groups of their own',
    async () => {
      const stage = makeStage(QUICK)
      // With job control each job is a process group; the shell is gone before it.
      const { watcher } = watch(stage, 'set -m; (trap "" HUP; exec sleep 60) & echo pid $!; echo ready; read word')
      await watcher.sees('ready')
      const [job = 0] = pidsIn(watcher.shown)
      expect(isRunning(job)).toBe(true)
      await stage.terminals.stop()
      expect(isEnded(job)).toBe(true)
    },
  )

  test('is done at once where nothing runs', async () => {
    const stage = makeStage()
    await watch(stage, 'exit 0').watcher.seesExit()
    await stage.terminals.stop()
    expect(stage.terminals.list().length).toBe(1)
  })
})

/** Gone, or ended and only not asked for its status by the process that inherited it. */
function isEnded(pid: number): boolean {
  if (!isRunning(pid)) return true
  return process.platform === 'linux' && /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
