// Plugins of the build that make the built files start faster.
import { pathToFileURL } from 'node:url'

/** Loaded with the first call: most commands call none of their functions. */
const LAZY = ['node:child_process', 'node:crypto', 'node:fs/promises', 'node:util', 'node:worker_threads', 'node:zlib']
/** A class that is only used with `new`. */
const CLASSES = new Set(['Worker'])
/** Used by every command, and loaded already when Node starts. */
const PLAIN = ['node:fs']
const PREFIX = '\0'
const IMPORT = /^import \{([^}]+)\} from '(node:[\w/]+)'$/gm

/** For each module the line of source that gives an export, where there is one. */
const modules = new Map([
  ...LAZY.map(module => [module, lazyExports(module)] as const),
  ...PLAIN.map(module => [module, plainExports(module)] as const),
])

/**
 * To `import` a built-in module of Node evaluates all of its exports, and with them modules that few commands need,
 * which takes milliseconds. Our own modules get the functions that they import without that.
 */
export const lazyBuiltins = {
  name: 'lazy-builtins',
  transform(code: string, id: string) {
    if (!id.endsWith('.ts') || id.includes('node_modules')) return undefined
    return code.replace(IMPORT, (statement: string, list: string, module: string) => {
      const names = list.split(',').map(name => name.trim().replace(/ as .*/, ''))
      const values = names.filter(name => name !== '' && !name.startsWith('type '))
      const isKnown = values.every(name => modules.get(module)?.has(name))
      return isKnown ? statement.replace(`'${module}'`, `'${PREFIX}${module}'`) : statement
    })
  },
  resolveId: (id: string) => (id.startsWith(`${PREFIX}node:`) ? { id, moduleSideEffects: false } : undefined),
  load(id: string) {
    const lines = id.startsWith(PREFIX) ? modules.get(id.slice(PREFIX.length)) : undefined
    return lines === undefined ? undefined : [...lines.values()].join('\n')
  },
}

/** Node reads a file faster if it holds nothing but ASCII: other characters become escapes. */
export const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_: unknown, bundle: Record<string, { code?: string }>) {
    for (const file of Object.values(bundle)) if (file.code !== undefined) file.code = escapeOthers(file.code)
  },
}

/** A file that only exports again, under other names, what one other file exports. */
const FACADE = /^import \{([^}]+)\} from "(\.\/[^"]+)";\nexport \{([^}]+)\};\n$/

/**
 * To load a module that was put into a larger file, the build loads a small file that names its exports. Our files load
 * the larger one themselves: every file takes a part of a millisecond.
 */
export const withoutFacades = {
  name: 'without-facades',
  generateBundle(_: unknown, bundle: Record<string, { code?: string; isEntry?: boolean }>) {
    for (const [name, { code = '', isEntry }] of Object.entries(bundle)) {
      const [, imported, file, exported] = FACADE.exec(code) ?? []
      if (imported === undefined || exported === undefined || isEntry === true) continue
      const sources = new Map(pairsOf(imported).map(([source, own]) => [own, source]))
      const fields = pairsOf(exported).map(([own, field]) => `${field}: file.${sources.get(own)}`)
      const loading = `import("${file}").then(file => ({ ${fields.join(', ')} }))`
      for (const other of Object.values(bundle)) other.code = other.code?.replaceAll(`import("./${name}")`, loading)
      if (!Object.values(bundle).some(other => other.code?.includes(`"./${name}"`))) delete bundle[name]
    }
  },
}

/** Both names of each entry, as in `a as b, c`. */
function pairsOf(list: string): [string, string][] {
  return list.split(',').map(entry => {
    const [first = '', second = first] = entry.trim().split(' as ')
    return [first, second]
  })
}

/** Modules whose exports are the same in every run, but take a hundred others to compute. */
const KNOWN = ['src/repair/verdicts/rules-version.ts']

/** The exports of such a module that are texts, as they are when the package is built. */
export const knownTexts = {
  name: 'known-texts',
  async load(id: string) {
    if (!KNOWN.some(path => id.replaceAll('\\', '/').endsWith(`/${path}`))) return undefined
    const exports: Record<string, unknown> = await import(pathToFileURL(id).href)
    const texts = Object.entries(exports).filter(([, value]) => typeof value === 'string')
    return texts.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`).join('\n')
  },
}

function escapeOthers(code: string): string {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('An escape in String.raw would stay an escape.')
  const escaped = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code)
  if (escaped !== null) throw new Error(`A backslash before another character: ${escaped[0]}`)
  return code.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function lazyExports(module: string): Map<string, string> {
  const builtin = `(builtin ??= process.getBuiltinModule('${module}'))`
  const functions = valuesOf(module).filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
  const lines = functions.map(([name]) => [name, `export const ${name} = (...args) => ${builtin}.${name}(...args)`])
  const classes = valuesOf(module).filter(([name]) => CLASSES.has(name))
  const makers = classes.map(([name]) => [
    name,
    `export function ${name}(...args) { return new ${builtin}.${name}(...args) }`,
  ])
  return new Map([['', 'let builtin'], ...lines, ...makers] as [string, string][])
}

function plainExports(module: string): Map<string, string> {
  const lines = valuesOf(module).map(([name]) => [name, `export const ${name} = builtin.${name}`])
  return new Map([['', `const builtin = process.getBuiltinModule('${module}')`], ...lines] as [string, string][])
}

/** What getters give is left out: that is what should not be loaded. */
function valuesOf(module: string): [string, unknown][] {
  const exports = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(module) ?? {}))
  return exports.flatMap(([name, { get, value }]) => (get === undefined ? [[name, value]] : []))
}
