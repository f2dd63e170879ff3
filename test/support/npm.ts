// npm as a person would run it, not as the inner npm of the one that runs the tests.
import { execFile } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { promisify } from 'node:util'

/** Where packages come from stays; prefix, flags and the like of an outer npm do not. */
const STAYS = /^npm_config_(cache|userconfig|globalconfig|registry|cafile|proxy|https_proxy|noproxy)$/i

export function environmentForNpm(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || STAYS.test(name))
  return { ...Object.fromEntries(kept), PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` }
}

export async function npm(args: string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env: environmentForNpm(), timeout: 220_000 })
  return stdout
}
