// Real PTYs with real processes in them.
import { describe, expect, test } from 'vitest'
import { makeStage, running, SIZE, Watcher, watch } from '../../../test/support/terminals.ts'

describe('a terminal', () => {
  test('shows what runs in it and takes what is typed', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'echo ready; read word; echo "got $word in $PWD"')
    await watcher.sees('ready')
    stage.terminals.input(id, 'apple\r')
    await watcher.sees(`got apple in ${stage.home}`)
    expect(await watcher.seesExit()).toEqual({ code: 0, signal: null })
  })

  test('gives the screen back to those who come later, once and whole', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'echo first; read word; echo second')
    await watcher.sees('first')
    stage.terminals.detach(id, watcher)
    const later = new Watcher()
    const { screen, isCut, terminal } = stage.terminals.attach(id, later, SIZE)
    expect([screen, isCut, terminal.exit]).toEqual(['first\r\n', false, null])
    stage.terminals.input(id, 'x\r')
    await later.seesExit()
    expect(later.shown).toBe('x\r\nsecond\r\n')
    expect(watcher.shown).toBe('first\r\n')
    expect(watcher.exits).toEqual([])
    expect(stage.terminals.attach(id, new Watcher(), SIZE).screen).toBe('first\r\nx\r\nsecond\r\n')
  })

  test('is watched by several, and each sees the same', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'read word; echo "said $word"')
    const other = new Watcher()
    stage.terminals.attach(id, other, SIZE)
    stage.terminals.input(id, 'hello\r')
    await Promise.all([watcher.seesExit(), other.seesExit()])
    expect(watcher.shown).toContain('said hello')
    expect(other.shown).toBe(watcher.shown)
  })

  test('is as large as the smallest of those who watch, and what runs sees it', async () => {
    const stage = makeStage()
    const script = 'while read word; do stty size; done'
    const { id, watcher } = watch(stage, script, { cols: 100, rows: 30 })
    const look = async (size: string): Promise<void> => {
      stage.terminals.input(id, '\r')
      await watcher.sees(new RegExp(`${size}\r\n$`))
    }
    await look('30 100')
    const phone = new Watcher()
    stage.terminals.attach(id, phone, { cols: 40, rows: 50 })
    await look('30 40')
    stage.terminals.resize(id, watcher, { cols: 120, rows: 60 })
    await look('50 40')
    stage.terminals.detach(id, phone)
    await look('60 120')
    expect(() => stage.terminals.resize(id, phone, SIZE)).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  test.each([
    ['exit 0', { code: 0, signal: null }],
    ['exit 42', { code: 42, signal: null }],
    ['kill -TERM $$', { code: null, signal: 'SIGTERM' }],
    ['kill -KILL $$', { code: null, signal: 'SIGKILL' }],
  ])('says how it ended: %s', async (script, exit) => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, script)
    expect(await watcher.seesExit()).toEqual(exit)
    expect(stage.terminals.get(id)?.exit).toEqual(exit)
  })

  test('has no secret of ours in its environment', async () => {
    const token = 'token-that-nobody-may-see'
    const variables = { ...process.env, RETHREAD_TOKEN: token, MINE: token, npm_command: 'start', OWN: 'kept' }
    const stage = makeStage({ variables, secrets: [token] })
    const { watcher } = watch(stage, 'env')
    await watcher.seesExit()
    expect(watcher.shown).not.toContain(token)
    expect(watcher.shown).not.toMatch(/^(RETHREAD_|npm_)/m)
    for (const line of ['OWN=kept', `HOME=${stage.home}`, 'TERM=xterm-256color', 'COLORTERM=truecolor'])
      expect(watcher.shown).toContain(`${line}\r\n`)
  })

  test('keeps input for what does not read, and holds nobody up meanwhile', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(
      stage,
      'stty raw -echo; echo ready; until [ -e go ]; do sleep 0.05; done; head -c 300000 | wc -c',
    )
    await watcher.sees('ready')
    stage.terminals.input(id, 'x'.repeat(300_000))
    expect(() => stage.terminals.input(id, 'x'.repeat(1024 * 1024))).toThrow(/does not read its input/)
    const other = watch(stage, 'touch go; echo touched')
    await other.watcher.sees('touched')
    await watcher.sees('300000')
  })

  test('takes input after its end for a key that came too late, and refuses a name it does not know', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'exit 0')
    await watcher.seesExit()
    stage.terminals.input(id, 'x')
    stage.terminals.resize(id, watcher, { cols: 50, rows: 20 })
    stage.terminals.close(id)
    for (const use of [
      () => stage.terminals.input(id, 'x'),
      () => stage.terminals.attach(id, watcher, SIZE),
      () => stage.terminals.close(id),
    ])
      expect(use).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})

describe('a flood', () => {
  const LINES = 200_000
  const FLOOD = `seq 1 ${LINES}; echo the end`

  test('comes whole, and only its end is kept', async () => {
    const stage = makeStage({ limits: { keptChars: 100_000 } })
    const { id, watcher } = watch(stage, FLOOD)
    await watcher.seesExit()
    const text = `${Array.from({ length: LINES }, (_, at) => `${at + 1}\r\n`).join('')}the end\r\n`
    expect(watcher.shown.length).toBe(text.length)
    expect(watcher.shown === text).toBe(true)
    const { screen, isCut } = stage.terminals.attach(id, new Watcher(), SIZE)
    expect([isCut, screen.length <= 100_000, text.endsWith(screen)]).toEqual([true, true, true])
  })

  test('is seen once and whole by one that comes in the middle of it', async () => {
    const stage = makeStage()
    const { id, watcher } = watch(stage, 'seq 1 20000')
    const late: Watcher[] = []
    while (watcher.exits.length === 0) {
      await new Promise(resolve => setImmediate(resolve))
      const one = new Watcher()
      if (late.length < 300) late.push(one)
      const { screen } = stage.terminals.attach(id, one, SIZE)
      one.shown += screen
    }
    expect(late.filter(one => one.shown !== watcher.shown).length).toBe(0)
    expect(watcher.shown.endsWith('\r\n20000\r\n')).toBe(true)
  })

  test('is held back while somebody cannot keep up, and nothing of it is lost', async () => {
    const stage = makeStage()
    const watcher = new Watcher()
    watcher.isStuck = true
    const { terminalId } = stage.terminals.create(running(stage, `${FLOOD}; touch done`))
    stage.terminals.attach(terminalId, watcher, SIZE)
    const other = watch(stage, 'sleep 0.3; ls')
    await other.watcher.seesExit()
    expect(other.watcher.shown).not.toContain('done')
    expect(watcher.shown.length).toBeLessThan(LINES)
    watcher.isStuck = false
    await watcher.seesExit()
    expect(watcher.shown.endsWith(`${LINES}\r\nthe end\r\n`)).toBe(true)
    expect(watcher.shown.split('\r\n').length).toBe(LINES + 2)
  })

  test('is read to its end where the process ended while it was held back', async () => {
    const stage = makeStage()
    const watcher = new Watcher()
    watcher.isStuck = true
    const { terminalId } = stage.terminals.create(running(stage, 'echo begin; sleep 0.1; seq 1 1000; echo the end'))
    stage.terminals.attach(terminalId, watcher, SIZE)
    await watcher.seesExit()
    expect(watcher.shown.endsWith('1000\r\nthe end\r\n')).toBe(true)
  })
})
