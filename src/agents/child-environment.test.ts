import { describe, expect, test } from 'vitest'
import { environmentOf } from '../../test/support/home.ts'
import { childEnvironment, personsShell } from './child-environment.ts'
import { agents } from './index.ts'

const HOME = '/home/ada'
const OURS = {
  HOME,
  PATH: '/usr/bin:/bin',
  LANG: 'en_GB.UTF-8',
  EDITOR: 'vi',
  RETHREAD_TOKEN: 'secret-token-1234',
  RETHREAD_STATE_DIR: '/state',
  npm_lifecycle_event: 'start',
  npm_config_cache: '/cache',
  INIT_CWD: '/somewhere',
  MY_COPY: 'Bearer secret-token-1234',
  TMUX: '/tmp/tmux-0/default,1,0',
  COLUMNS: '80',
  TERM: 'dumb',
  CODEX_HOME: '/elsewhere/codex',
  XDG_DATA_HOME: '/elsewhere/data',
  GONE: undefined,
}
const person = { agents, environment: { ...environmentOf(HOME), variables: OURS } }
const demo = { agents, environment: environmentOf('/tmp/demo') }

describe('the environment of what runs in a terminal', () => {
  test("is the person's own, with nothing of ours and of another terminal", () => {
    expect(childEnvironment({ context: person, variables: OURS, secrets: ['secret-token-1234'] })).toEqual({
      HOME,
      PATH: '/usr/bin:/bin',
      LANG: 'en_GB.UTF-8',
      EDITOR: 'vi',
      CODEX_HOME: '/elsewhere/codex',
      XDG_DATA_HOME: '/elsewhere/data',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
    })
  })

  test('leads nowhere but into a home that was given by hand', () => {
    const variables = childEnvironment({ context: demo, variables: OURS })
    expect(variables).toMatchObject({ HOME: '/tmp/demo', PATH: '/usr/bin:/bin', LANG: 'en_GB.UTF-8' })
    expect(Object.values(variables).filter(value => value.includes('/elsewhere'))).toEqual([])
  })

  test('has a folder of stand-ins before all others where one is given', () => {
    expect(childEnvironment({ context: demo, variables: OURS, pathFirst: '/demo/bin' })['PATH']).toBe(
      '/demo/bin:/usr/bin:/bin',
    )
    expect(childEnvironment({ context: demo, variables: {}, pathFirst: '/demo/bin' })['PATH']).toBe('/demo/bin')
  })

  test.skipIf(process.platform === 'win32')("names the person's shell, or the one that is always there", () => {
    expect(personsShell({ SHELL: '/bin/zsh' })).toEqual({ command: '/bin/zsh', args: [] })
    expect(personsShell({ SHELL: '' }).command).toBe('/bin/sh')
    expect(personsShell({}).command).toBe('/bin/sh')
  })
})
