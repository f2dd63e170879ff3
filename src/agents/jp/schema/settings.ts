// The settings of JP by their paths, from the shape of its config:
// which there are, and what a text means for each.
import { CONFIG_SHAPE } from './config.ts'
import type { Shape } from './shape.ts'
import { ANY, TEXT } from './shape.ts'

/** Returns undefined for a setting that JP does not know. */
export function shapeAt(path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((shape, name) => shape && shapeBelow(shape, name), CONFIG_SHAPE)
}

function shapeBelow(shape: Shape, name: string): Shape | undefined {
  switch (shape.type) {
    case 'any':
      return ANY
    case 'map':
      return shape.of
    case 'lazy':
      return shapeBelow(shape.of(), name)
    case 'optional':
      return shapeBelow(shape.of, name)
    case 'struct':
      if (Object.hasOwn(shape.fields, name)) return shape.fields[name]
      return typeof shape.others === 'string' ? undefined : shape.others
    case 'either':
      return shape.of.map(one => shapeBelow(one, name)).find(found => found !== undefined)
    case 'tagged':
      if (name === shape.tag) return TEXT
      return Object.values(shape.variants)
        .map(one => shapeBelow(one, name))
        .find(found => found !== undefined)
    default:
      return undefined
  }
}

/** The names of the settings below this one; empty for a value, and for names of a user's own. */
export function namesAt(path: readonly string[]): string[] {
  const shape = shapeAt(path)
  return shape === undefined ? [] : namesIn(shape)
}

function namesIn(shape: Shape): string[] {
  switch (shape.type) {
    case 'struct':
      return Object.keys(shape.fields)
    case 'optional':
      return namesIn(shape.of)
    case 'lazy':
      return namesIn(shape.of())
    case 'either':
      return shape.of.flatMap(namesIn)
    default:
      return []
  }
}

/** The paths of all settings that hold a value, with dots between the names. */
export function settingNames(path: readonly string[] = []): string[] {
  return namesAt(path).flatMap(name => {
    const here = [...path, name]
    return isSection(shapeAt(here)) ? settingNames(here) : [here.join('.')]
  })
}

function isSection(shape: Shape | undefined): boolean {
  if (shape?.type === 'optional') return isSection(shape.of)
  return shape?.type === 'struct'
}

export type Kind = 'truth' | 'number' | 'list' | 'text'

/** How JP reads a text for a value of this shape; undefined for a section, a map, and any value. */
export function kindOfShape(shape: Shape): Kind | undefined {
  switch (shape.type) {
    case 'optional':
      return kindOfShape(shape.of)
    case 'lazy':
      return kindOfShape(shape.of())
    case 'flag':
      return 'truth'
    case 'whole':
    case 'decimal':
      return 'number'
    case 'list':
      return 'list'
    case 'text':
    case 'choice':
      return 'text'
    case 'either': {
      const kinds = shape.of.map(kindOfShape)
      return (['list', 'text', 'truth', 'number'] as const).find(kind => kinds.includes(kind))
    }
    default:
      return undefined
  }
}
