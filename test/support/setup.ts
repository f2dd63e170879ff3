// Every test file runs in a home of its own, with no variable left that could lead to a real store.
// RETHREAD_SCANNER stays: with js, everything is tested with the other scanner.
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'
import { writeCpuTime } from './cpu.ts'
import './guard.js'
import './joined-threads.ts'
import { beginAgain } from './shared-process.ts'

beginAgain()
const home = mkdtempSync(join(tmpdir(), 'rethread-test-home-'))
const MOVES_A_STORE =
  /^(XDG_|CLAUDE_|CODEX_|GEMINI_|OPENCODE_|AMP_|WARP_|KIRO_|CURSOR_|JP_|RETHREAD_(?!TEST_|SCANNER$)|APPDATA$|LOCALAPPDATA$)/

for (const name of Object.keys(process.env)) if (MOVES_A_STORE.test(name)) delete process.env[name]
process.env['HOME'] = home
process.env['USERPROFILE'] = home
process.env['NODE_OPTIONS'] =
  `--import=${pathToFileURL(join(dirname(fileURLToPath(import.meta.url)), 'guard.js')).href}`
if (homedir() !== home) throw new Error(`The temporary HOME did not take: ${homedir()} is still the home folder.`)

afterAll(() => rmSync(home, { recursive: true, force: true }))

const cpuFile = process.env['RETHREAD_TEST_CPU']
if (cpuFile !== undefined) writeCpuTime(cpuFile)
