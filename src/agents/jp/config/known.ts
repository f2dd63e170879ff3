// JP refuses a setting that it does not know, so a typing error must not be stored.
import { distanceBetween } from '../../../model/suggestion.ts'
import { namesAt, shapeAt } from '../schema/settings.ts'

interface UnknownSetting {
  /** The path up to the first unknown name. */
  path: string[]
  /** The error message, with a suggestion if there is one. */
  text: string
}

/** Returns undefined for a setting or a section that JP knows. */
export function findUnknown(path: readonly string[]): UnknownSetting | undefined {
  const index = path.findIndex((_, at) => shapeAt(path.slice(0, at + 1)) === undefined)
  return index === -1 ? undefined : { path: path.slice(0, index + 1), text: unknownSettingText(path, index) }
}

function unknownSettingText(path: readonly string[], index: number): string {
  const known = namesAt(path.slice(0, index)).toSorted()
  const holder = path.slice(0, index).join('.')
  const near = nearestOf(path[index] ?? '', known)
  const what = `There is no setting ${path.join('.')}.`
  if (known.length === 0) return `${what} ${holder} is a value, with nothing below it`
  if (near !== undefined) return `${what} Did you mean ${meant(path, index, near)}?`
  return `${what} ${holder === '' ? 'Settings start with one of' : `The settings in ${holder} are`}: ${known.join(', ')}`
}

/** Includes the rest of the path if the result is a known setting. */
function meant(path: readonly string[], index: number, near: string): string {
  const whole = path.with(index, near)
  return (findUnknown(whole) === undefined ? whole : whole.slice(0, index + 1)).join('.')
}

/** Returns the candidate that was most likely meant; undefined if none is similar. */
function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distanceBetween(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.ceil(Math.min(name.length, best.candidate.length) / 3)
  return isNear ? best.candidate : undefined
}
