// The published package: plain JavaScript, because Node strips no types below node_modules. Commands stay files of their own, so that starting one loads only it.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'tsdown'
import { asciiOnly, knownTexts, lazyBuiltins, withoutFacades } from './scripts/fast-start.ts'

/**
 * A command that loads a hundred small files starts slowly. What is loaded together is one file: the modules that
 * these and no group before them import. A library that few commands need must stay out of them.
 */
const GROUPS: { name: string; of: string[]; and?: string[] }[] = [
  // The thread that scans starts with every check of a large log, and needs little of what the commands need.
  { name: 'base', of: ['cli/main.ts'], and: ['repair/scan/scan-worker.ts'] },
  // Even `--help` needs this.
  { name: 'start', of: ['cli/main.ts'] },
  // Only threads need this.
  { name: 'thread', of: ['threads/serve.ts'] },
  { name: 'scan', of: ['repair/scan/scan-worker.ts'] },
  // What starts threads.
  { name: 'pool', of: ['threads/pool.ts', 'threads/batches.ts'] },
  // What prints sessions that have not changed. The agents are loaded beside it.
  { name: 'known', of: ['cli/rows/check.ts', 'cli/rows/list.ts'] },
  // The same thread copies a log that is repaired.
  { name: 'copying', of: ['disk/vault/copy-file.ts'] },
  // Which agents there are and where their sessions are.
  { name: 'agents', of: ['catalog/context.ts'] },
  {
    name: 'common',
    of: [
      'catalog/context.ts',
      'catalog/choose-sessions.ts',
      'catalog/project-folder.ts',
      'catalog/list.ts',
      'repair/verdicts/last-verdicts.ts',
      'disk/processes/writers.ts',
      'cli/print/json-writer.ts',
    ],
  },
  // The first list skims what it can.
  { name: 'skimming', of: ['agents/claude-code/read/skim.ts'] },
  // Readers need this too, and nothing else of a check.
  { name: 'records', of: ['repair/records/record-index.ts', 'model/duplicate-candidates.ts'] },
  // Most logs are plain, and get their verdict without anything else.
  { name: 'plain', of: ['repair/check/check-many.ts', 'agents/claude-code/repair/plain.ts'] },
  {
    name: 'checking',
    of: [
      'repair/check/check.ts',
      'repair/check/check-many.ts',
      'repair/verdicts/verdict-cache.ts',
      'threads/batches.ts',
    ],
  },
  {
    name: 'printing',
    of: [
      'cli/print/list.ts',
      'cli/print/verdict.ts',
      'cli/print/rows-json.ts',
      'cli/print/progress.ts',
      'cli/print/verdict-totals.ts',
    ],
  },
]

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
  plugins: [knownTexts, lazyBuiltins, withoutFacades, asciiOnly],
  clean: true,
  outputOptions: {
    codeSplitting: {
      groups: GROUPS.map(({ name, of, and = of }, place) => ({
        name: (id: string, graph: ModuleGraph) =>
          isLoadedBy(of, id, graph) && isLoadedBy(and, id, graph) ? name : null,
        minShareCount: 2,
        priority: GROUPS.length - place,
      })),
    },
  },
})

/** Every worker module of `src/threads`, by its name. */
function workers(): Record<string, string> {
  return Object.fromEntries(globSync('src/**/*-worker.ts').map(file => [basename(file, '.ts'), file]))
}

/** Imports that are not dynamic, and those of these. */
function isLoadedBy(files: readonly string[], id: string, graph: ModuleGraph): boolean {
  return files.some(file => staticImportsOf(join(import.meta.dirname, 'src', file), graph).has(id))
}

const known = new Map<string, Set<string>>()

/** Asked for each module of the graph, which is complete by then. */
function staticImportsOf(file: string, graph: ModuleGraph): Set<string> {
  const noted = known.get(file)
  if (noted !== undefined) return noted
  const found = new Set([file])
  // A set that grows is walked to its end.
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  known.set(file, found)
  return found
}
