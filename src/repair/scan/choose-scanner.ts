// Which scanner is used: the kernel in WebAssembly where it can run, unless RETHREAD_SCANNER says otherwise.
import { loadScanner } from '../../disk/files/load-scanner.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeKernelScanner } from './kernel-scanner.ts'
import type { RecordScanner } from './record-scanner.ts'
import { javascriptScanner } from './record-scanner.ts'

/** One for each thread: the kernel has memory of its own. */
let loaded: { scanner: RecordScanner | undefined } | undefined

export function chooseScanner(choice = process.env['RETHREAD_SCANNER'] ?? ''): RecordScanner {
  switch (choice) {
    case 'js':
      return javascriptScanner
    case '':
      return kernelScanner() ?? javascriptScanner
    case 'wasm': {
      const scanner = kernelScanner()
      if (scanner !== undefined) return scanner
      throw new RethreadError({
        code: 'usage',
        text: 'RETHREAD_SCANNER=wasm: this Node cannot run WebAssembly with 128-bit SIMD instructions.',
        hint: 'Use the scanner in JavaScript: export RETHREAD_SCANNER=js',
      })
    }
    default:
      throw new RethreadError({
        code: 'usage',
        text: `RETHREAD_SCANNER is ${JSON.stringify(choice)}, but must be js or wasm.`,
        hint: 'Let rethread choose: unset RETHREAD_SCANNER',
      })
  }
}

function kernelScanner(): RecordScanner | undefined {
  if (loaded === undefined) {
    const kernel = loadScanner()
    loaded = { scanner: kernel === undefined ? undefined : makeKernelScanner(kernel) }
  }
  return loaded.scanner
}
