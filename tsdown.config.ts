// The published package: plain JavaScript, because Node strips no types below node_modules. Commands stay files of their own, so that starting one loads only it.
import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    main: 'src/cli/main.ts',
    // What programs import; the only one with declarations.
    index: 'src/api/index.ts',
    // Threads are files of their own, beside what starts them.
    'check-worker': 'src/repair/queue/check-worker.ts',
    'repair-worker': 'src/repair/queue/repair-worker.ts',
    'library-worker': 'src/server/sessions/library-worker.ts',
    'reading-worker': 'src/server/readings/reading-worker.ts',
    'search-worker': 'src/opencode/files/search-worker.ts',
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
  clean: true,
})
