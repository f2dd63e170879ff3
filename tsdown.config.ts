// The published package: plain JavaScript, because Node strips no types below node_modules. Commands stay files of their own, so that starting one loads only it.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'tsdown'

const MAIN = join(import.meta.dirname, 'src', 'cli', 'main.ts')
/** Entries and modules that are imported dynamically. Fewer than this: more is loaded than is used. */
const SHARED_BY_NEARLY_ALL = 20

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

export default defineConfig({
  entry: {
    main: 'src/cli/main.ts',
    // What programs import; the only one with declarations.
    index: 'src/api/index.ts',
    // Threads are files of their own, beside the code that starts them.
    ...workers(),
    // So is the mock agent: it is a process that is started by the path of its file.
    'mock-agent': 'src/mock-agent/main.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  // dist/main.js, not .mjs: the package is of type "module".
  fixedExtension: false,
  dts: { entry: 'src/api/index.ts' },
  sourcemap: false,
  // The scanner is beside the code that loads it.
  copy: ['src/disk/files/scanner.wasm'],
  clean: true,
  // A command that loads a hundred small files starts slowly. What nearly every command needs is one file; what
  // even `--help` needs is another, so that the first is not loaded for it.
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: nameOfStart, minShareCount: 2, priority: 2 },
        { name: 'common', minShareCount: SHARED_BY_NEARLY_ALL, priority: 1 },
      ],
    },
  },
})

/** Every worker module of `src/threads`, by its name. */
function workers(): Record<string, string> {
  return Object.fromEntries(globSync('src/**/*-worker.ts').map(file => [basename(file, '.ts'), file]))
}

/** The modules that are loaded before any command is chosen. */
function nameOfStart(id: string, graph: ModuleGraph): string | null {
  return staticImportsOf(MAIN, graph).has(id) ? 'start' : null
}

function staticImportsOf(id: string, graph: ModuleGraph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) staticImportsOf(imported, graph, found)
  return found
}
