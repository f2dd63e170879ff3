// The published package: plain JavaScript, because Node strips no types below node_modules. Commands stay files of their own, so that starting one loads only it.
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { defineConfig } from 'tsdown'

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
  clean: true,
})

/** Every worker module of `src/threads`, by its name. */
function workers(): Record<string, string> {
  return Object.fromEntries(globSync('src/**/*-worker.ts').map(file => [basename(file, '.ts'), file]))
}
