// Loads the kernel of the scanner. The file is beside this one in the source, and beside the code in the package.

import { readFileSync } from 'node:fs'
import type { KernelExports } from '../../bytes/scanner/kernel.ts'
import { Kernel } from '../../bytes/scanner/kernel.ts'

/** The part of the interface of WebAssembly that is used here. The types of Node do not have it. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: KernelExports }
}

/** Undefined where Node has no WebAssembly with 128-bit instructions. */
export function loadScanner(file = new URL('./scanner.wasm', import.meta.url)): Kernel | undefined {
  const { WebAssembly: api } = globalThis as unknown as { WebAssembly?: WebAssemblyApi }
  const bytes = readFileSync(file)
  if (api === undefined || !api.validate(bytes)) return undefined
  return new Kernel(new api.Instance(new api.Module(bytes), {}).exports)
}
