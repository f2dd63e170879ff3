// What is measured: the built package as it would be installed where there is one, else the source of this checkout.
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from './processes.ts'

export interface Program {
  isBuilt: boolean
  run(...args: string[]): Command
}

const ROOT = join(import.meta.dirname, '..', '..')

const BUILT = join(ROOT, 'dist', 'main.js')

/** In a checkout `bin/rethread.js` starts the source, so the built files are put into a folder without it. */
export function prepareProgram(folder: string): Program {
  const isBuilt = existsSync(BUILT)
  if (isBuilt && isOutdated()) throw new Error('dist is older than src. Run first: npm run build')
  const root = isBuilt ? copyPackage(join(folder, 'package')) : ROOT
  const script = join(root, 'bin', 'rethread.js')
  return { isBuilt, run: (...args) => ({ file: process.execPath, args: [script, ...args] }) }
}

/** The figures of yesterday's program would be taken for those of today's. */
function isOutdated(): boolean {
  const built = statSync(BUILT).mtimeMs
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  return source.some(
    entry =>
      entry.name.endsWith('.ts') &&
      !entry.name.endsWith('.test.ts') &&
      statSync(join(entry.parentPath, entry.name)).mtimeMs > built,
  )
}

function copyPackage(folder: string): string {
  mkdirSync(folder, { recursive: true })
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  return folder
}
