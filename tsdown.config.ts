// The published package: plain JavaScript, because Node strips no types below node_modules. Commands stay files of their own, so that starting one loads only it.
import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { main: 'src/cli/main.ts', 'check-worker': 'src/repair/check-worker.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  // dist/main.js, not .mjs: the package is of type "module".
  fixedExtension: false,
  dts: false,
  sourcemap: false,
  clean: true,
})
