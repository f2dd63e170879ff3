// Loaded into every test process and into every Node that a test starts: touching the real home of whoever runs the tests is an error, at once.
// Plain JavaScript for any Node >= 18, because tests start old ones too.
import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
// The home that the system knows, and the one this run was started with. Processes started by a test see only the temporary one, so it is handed on.
const realHomes = new Set([
  userInfo().homedir,
  ...(process.env['RETHREAD_TEST_REAL_HOMES'] ?? homedir()).split('\n').map(home => resolve(home)),
])
process.env['RETHREAD_TEST_REAL_HOMES'] = [...realHomes].join('\n')

// The places in a home where agents, and rethread itself, keep things; `*` stands for any ending. A test holds this against the stores of all agents.
const FORBIDDEN = [
  '.claude',
  '.config/claude',
  '.config/Claude',
  '.codex',
  '.gemini',
  '.local/share/opencode',
  '.local/share/amp',
  '.cache/amp',
  '.local/state/warp-*',
  '.kiro',
  '.kiro-server',
  '.amazonq',
  '.aws/amazonq',
  '.local/share/kiro-cli',
  '.local/share/amazonq',
  '.local/share/amazon-q',
  '.cursor',
  '.config/Cursor',
  '.config/Kiro',
  '.config/kiro-cli',
  '.jp',
  '.local/share/jp',
  '.local/state/rethread',
  '.config/systemd',
  'Library/LaunchAgents',
  'Library/Application Support',
  'Library/Group Containers',
  'AppData',
]
const homes = [...realHomes].map(home => resolve(home, '_').slice(0, -1))
const forbidden = [...realHomes].flatMap(home => FORBIDDEN.map(name => join(home, name)))
const allowed = [checkout, resolve(tmpdir())]

/** @param {unknown} path @param {string} call */
function refuse(path, call) {
  const text = textOf(path)
  if (text === undefined) return
  // Most calls end here, and there are very many.
  const full = isPlain(text) ? text : resolve(text)
  if (!homes.some(home => full.startsWith(home))) return
  if (allowed.some(place => isIn(full, place)) || !forbidden.some(place => isIn(full, place))) return
  throw new Error(`A test reached the real home: ${call}(${full}). Tests work in a temporary HOME.`)
}

/**
 * Absolute, and without a part that `resolve` would take away.
 * @param {string} text
 */
function isPlain(text) {
  return text.charCodeAt(0) === 0x2f && !/\/\.{0,2}(?:\/|$)/.test(text)
}

/** @param {unknown} path */
function textOf(path) {
  if (path instanceof URL) return path.protocol === 'file:' ? fileURLToPath(withoutQuery(path)) : undefined
  if (path instanceof Uint8Array) return Buffer.from(path).toString()
  if (typeof path !== 'string') return undefined
  // SQLite takes a URL as text, too.
  return /^file:/.test(path) ? textOf(new URL(path)) : path
}

/** @param {URL} url */
function withoutQuery(url) {
  const copy = new URL(url)
  copy.search = ''
  copy.hash = ''
  return copy
}

/** @param {string} path @param {string} place */
function isIn(path, place) {
  return path === place || path.startsWith(place.endsWith('*') ? place.slice(0, -1) : place + sep)
}

// Calls that take an open file rather than a path, and those that nothing is opened by.
const TAKES_NO_PATH = /^(f(?!s)[a-z]+(Sync)?|(read|readv|write|writev|close)(Sync)?|_.*|Stats|Dirent|Dir|Utf8Stream)$/
const TAKES_TWO_PATHS = /^(rename|copyFile|cp|link|symlink)(Sync)?$/

/** @param {Function} original @param {string} name @param {number[]} paths which arguments are paths */
function guarded(original, name, paths) {
  const look = (/** @type {unknown[]} */ values) => {
    for (const index of paths) refuse(values[index], name)
  }
  return new Proxy(original, {
    apply(target, self, values) {
      look(values)
      return Reflect.apply(target, self, values)
    },
    construct(target, values, newTarget) {
      look(values)
      return Reflect.construct(target, values, newTarget)
    },
  })
}

/** @param {Record<string, any>} calls @param {string} prefix */
function guardAll(calls, prefix) {
  for (const name of Object.keys(calls)) {
    const original = calls[name]
    if (typeof original !== 'function' || TAKES_NO_PATH.test(name)) continue
    const paths = TAKES_TWO_PATHS.test(name) ? [0, 1] : [0]
    // `realpath.native` is a call of its own.
    if (typeof original.native === 'function')
      original.native = guarded(original.native, `${prefix}${name}.native`, paths)
    calls[name] = guarded(original, prefix + name, paths)
  }
}

guardAll(fs, '')
guardAll(fs.promises, 'promises.')
guardDatabases()
syncBuiltinESMExports()

function guardDatabases() {
  try {
    // Not by `import`: what an `import` of this module gives is settled at the first one, which must come after us.
    const sqlite = createRequire(import.meta.url)('node:sqlite')
    sqlite.DatabaseSync = guarded(sqlite.DatabaseSync, 'DatabaseSync', [0])
    if (sqlite.backup !== undefined) sqlite.backup = guarded(sqlite.backup, 'backup', [1])
  } catch (error) {
    // An old Node has no SQLite, and so nothing to guard.
    if (error?.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
  }
}
