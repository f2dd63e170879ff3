// A Node on this machine that is too old to run rethread, to see what happens with one.
import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Its path; undefined where there is none. */
export function olderNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = [...folders, '/usr/bin', '/usr/local/bin'].map(folder => join(folder, 'node')).filter(existsSync)
  return candidates.find(path => realpathSync(path) !== realpathSync(process.execPath) && isTooOld(path))
}

function isTooOld(path: string): boolean {
  const version = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8', env: {} })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major >= 18 && (major < 22 || (major === 22 && minor < 18))
}
