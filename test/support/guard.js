// Loaded into every test process and into every Node that a test starts: touching the real home of whoever runs the tests is an error, at once.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { userInfo } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const realHome = userInfo().homedir
// The places in a home where agents, and rethread itself, keep things.
const forbidden = [
  '.claude',
  '.config/claude',
  '.codex',
  '.gemini',
  '.local/share/opencode',
  '.local/share/amp',
  '.cache/amp',
  '.local/state/warp-terminal',
  '.kiro',
  '.amazonq',
  '.local/share/kiro-cli',
  '.cursor',
  '.config/Cursor',
  '.config/Kiro',
  '.jp',
  '.local/state/rethread',
  'Library/Application Support',
  'Library/Group Containers',
  'AppData',
].map(name => join(realHome, name))

function refuse(path, call) {
  const text =
    path instanceof URL
      ? fileURLToPath(path)
      : typeof path === 'string' || Buffer.isBuffer(path)
        ? String(path)
        : undefined
  if (text === undefined) return
  const full = resolve(text)
  if (full === checkout || full.startsWith(checkout + sep)) return
  if (forbidden.some(place => full === place || full.startsWith(place + sep)))
    throw new Error(`A test reached the real home: ${call}(${full}). Tests work in a temporary HOME.`)
}

for (const name of [
  'openSync',
  'statSync',
  'lstatSync',
  'readdirSync',
  'realpathSync',
  'mkdirSync',
  'writeFileSync',
  'readFileSync',
  'rmSync',
  'renameSync',
  'copyFileSync',
  'open',
  'stat',
  'lstat',
  'readdir',
  'mkdir',
  'writeFile',
  'readFile',
  'createReadStream',
  'createWriteStream',
]) {
  const original = fs[name]
  const guarded = function (path, ...rest) {
    refuse(path, name)
    return original.call(this, path, ...rest)
  }
  fs[name] = Object.assign(guarded, original)
}
for (const name of ['open', 'stat', 'lstat', 'readdir', 'mkdir', 'writeFile', 'readFile', 'rm', 'rename', 'copyFile']) {
  const original = fs.promises[name]
  fs.promises[name] = (path, ...rest) => {
    refuse(path, `promises.${name}`)
    return original.call(fs.promises, path, ...rest)
  }
}
syncBuiltinESMExports()
