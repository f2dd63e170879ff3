// The shells of this machine, the person's own first.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import type { Shell } from '../../opencode/terminal-host.ts'
import { personsShell } from '../terminals/index.ts'

const LIST = '/etc/shells'
/** They have a language of their own. */
const OTHER_LANGUAGES = new Set(['fish', 'nu', 'elvish', 'xonsh', 'tmux', 'screen'])

export function listShells(list = readList()): Shell[] {
  const paths = [personsShell().command, ...list].filter(path => statIfThere(path, 'stat')?.isFile() === true)
  return [...new Set(paths)].map(path => {
    const name = basename(path)
    return { path, name, acceptable: !OTHER_LANGUAGES.has(name) }
  })
}

/** Not every system has it. */
function readList(): string[] {
  if (statIfThere(LIST, 'stat')?.isFile() !== true) return []
  const lines = readFileSync(LIST, 'utf8').split('\n')
  return lines.map(line => line.trim()).filter(line => line.startsWith('/'))
}
