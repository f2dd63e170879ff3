// Loads the kernel of the scanner. The file is beside this one in
// the source, and beside the code in the package.

import { readFileSync } from 'node:fs'
import type { KernelExports } from '../../bytes/scanner/kernel.ts'
import { Kernel } from '../../bytes/scanner/kernel.ts'

/** The part of the interface of WebAssembly that is used here. The types of Node do not have it. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object
  CompileError: new () => Error
  Instance: new (module: object, imports: object) => { exports: KernelExports }
}

const { WebAssembly: api } = globalThis as unknown as { WebAssembly?: WebAssemblyApi }

/** Undefined where Node has no WebAssembly with 128-bit instructions, relaxed ones among them. */
function compileScanner(): object | undefined {
  const bytes = readFileSync(new URL('./scanner.wasm', import.meta.url))
  if (api === undefined) return undefined
  try {
    return new api.Module(bytes)
  } catch (error) {
    if (error instanceof api.CompileError) return undefined
    throw error
  }
}

/** `module` is that of a kernel in another thread of the process: it is not compiled again. */
export function loadScanner(module = compileScanner()): Kernel | undefined {
  return api === undefined || module === undefined
    ? undefined
    : new Kernel(module, () => new api.Instance(module, {}).exports)
}
