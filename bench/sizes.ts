// Sizes as people write them: 50k, 200M, 1G.

const UNITS: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }

export function parseBytes(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text) ?? []
  const factor = UNITS[unit.toLowerCase()]
  if (digits === '' || factor === undefined) throw new Error(`"${text}" is no size. For example: 50k, 200M, 1G`)
  return Math.round(Number(digits) * factor)
}

export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(0)} MB`
  return `${Math.round(bytes / 1e3)} kB`
}
