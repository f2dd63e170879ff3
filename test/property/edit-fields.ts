// The fields of a JSON value, and copies of the value in which one field has another name or is gone.

type Path = readonly (string | number)[]

export interface Field {
  path: Path
  /** The same for fields of the same kind of record: lists count as one element, names of types are kept. */
  kind: string
}

const MAX_DEPTH = 8

export function fieldsOf(value: unknown, path: Path = [], kind = ''): Field[] {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((inner, index) => fieldsOf(inner, [...path, index], `${kind}[]`))
  const own = `${kind}${typeOf(value as Record<string, unknown>)}`
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = { path: [...path, name], kind: `${own}.${name}` }
    return [field, ...fieldsOf(inner, field.path, field.kind)]
  })
}

function typeOf(value: Record<string, unknown>): string {
  const names = [value['type'], value['role'], value['kind']].filter(name => typeof name === 'string')
  return names.length === 0 ? '' : `<${names.join(' ')}>`
}

export function renamed(value: unknown, path: Path): unknown {
  return edited(value, path, (holder, name) =>
    Object.fromEntries(Object.entries(holder).map(([key, inner]) => [key === name ? `${key}Renamed` : key, inner])),
  )
}

export function without(value: unknown, path: Path): unknown {
  return edited(value, path, (holder, name) =>
    Object.fromEntries(Object.entries(holder).filter(([key]) => key !== name)),
  )
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value)
}

function edited(value: unknown, path: Path, edit: (holder: object, name: string | number) => object): unknown {
  const [name, ...rest] = path
  if (name === undefined || typeof value !== 'object' || value === null) return value
  if (rest.length === 0) return edit(value, name)
  const copy: Record<string | number, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value }
  const at = copy as Record<string | number, unknown>
  at[name] = edited(at[name], rest, edit)
  return copy
}

/** Every string at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

export const MARK = ' zq7'

/** The marked texts and the names of tools, at any depth: what a person would miss. */
export function textsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return value.endsWith(MARK) || NAMES.has(name) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, isList ? name : key))
}

const NAMES = new Set(['name', 'tool', 'toolName'])

/** With a mark at the end of each text that is shown, so that no other text of the session holds it. */
export function marked(value: unknown, shown: string): unknown {
  if (typeof value === 'string') return /\S\s+\S/.test(value) && shown.includes(value) ? value + MARK : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inner => marked(inner, shown))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner, shown)]))
}
