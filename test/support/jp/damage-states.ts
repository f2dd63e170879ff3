// The states that a file of a conversation can be in, each made from a sound one.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { files, injectFiles } from '../../../src/disk/files/system-calls.ts'
import { put } from '../home.ts'

export type Damage = (path: string, home: string) => void

const TURN = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'
const TOO_DEEP = `${'['.repeat(200)}${']'.repeat(200)}`

export const STATES = {
  missing: path => rmSync(path),
  'no bytes': path => truncateSync(path, 0),
  'white space': path => writeFileSync(path, ' \n\t\r\n'),
  'a comma too many': path => change(path, text => `${text.slice(0, -1)},${text.slice(-1)}`),
  'a comment': path => change(path, text => `// mine\n${text}`),
  'a byte order mark': path => change(path, text => `\ufeff${text}`),
  'NULs behind it': path => change(path, text => `${text}\n\0\0\0`),
  'garbage behind it': path => change(path, text => `${text}}`),
  garbage: path => writeFileSync(path, '<html>'),
  cut: path => truncateSync(path, 20),
  null: path => writeFileSync(path, 'null'),
  'a text': path => writeFileSync(path, '"text"'),
  'bytes that are no characters': path => odd(path, '"\xff"'),
  'half a character': path => odd(path, '"\\ud800"'),
  'nesting beyond all measure': path => odd(path, TOO_DEEP),
  'a number beyond all numbers': path => odd(path, '1e999'),
  'no permission': path => refuse(path, 'EACCES'),
  'a failing disk': path => refuse(path, 'EIO'),
  'no descriptor left': path => refuse(path, 'EMFILE'),
  'a directory': path => {
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'inside'), 'x')
  },
  'a pipe': path => {
    rmSync(path)
    execFileSync('mkfifo', [path])
  },
  'a link to a good file': path => {
    renameSync(path, `${path}.real`)
    symlinkSync(`${path}.real`, path)
  },
  'a link to a bad file': path => {
    writeFileSync(`${path}.real`, '{"a":')
    rmSync(path)
    symlinkSync(`${path}.real`, path)
  },
  'a link to nothing': path => {
    rmSync(path)
    symlinkSync('nowhere', path)
  },
  'a link to itself': path => {
    rmSync(path)
    symlinkSync(path, path)
  },
  'a link out of the storage': (path, home) => {
    put(home, 'elsewhere.json', readFileSync(path))
    rmSync(path)
    symlinkSync(join(home, 'elsewhere.json'), path)
  },
  'a link out of the storage to a bad file': (path, home) => {
    put(home, 'elsewhere.json', '{"a":')
    rmSync(path)
    symlinkSync(join(home, 'elsewhere.json'), path)
  },
  'more than we read': path => truncateSync(path, 600 * 1024 * 1024),
} satisfies Record<string, Damage>

export type StateName = keyof typeof STATES

function change(path: string, how: (text: string) => string): void {
  writeFileSync(path, how(readFileSync(path, 'utf8').trimEnd()))
}

/** A member with this value in the file, which is otherwise as it was. */
function odd(path: string, value: string): void {
  const text = readFileSync(path, 'latin1').trimEnd()
  const rest = text.startsWith('[')
    ? `[{"timestamp":"x","type":"y","odd":${value}},${text.slice(1)}`
    : `{"odd":${value},${text.slice(1)}`
  writeFileSync(path, rest, 'latin1')
}

function refuse(path: string, code: string): void {
  const base = files()
  const openPlain: typeof base.openPlain = name => {
    if (name === path) throw Object.assign(new Error('injected'), { code })
    return base.openPlain(name)
  }
  onTestFinished(injectFiles({ ...base, openPlain }))
}

/** Single events that only the loader of JP stumbles over. */
export const ONE_BAD_EVENT = `[${TURN},{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":null},${TURN}]`
