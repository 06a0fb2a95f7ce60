/** How many workgroups a dispatch runs. */
import { shown } from '../host/given.ts'
import { ShapeError } from './errors.ts'

/** Numbers of workgroups along x, y and z. */
export type Groups = readonly [number, number, number]

/** Most workgroups of a dispatch, whose number is a signed integer. */
const maxGroups = 2 ** 31 - 1

/**
 * The numbers as they are now: a caller may change its list while workers still read them. Throws a `ShapeError` for those that cannot
 * be.
 */
export function groupsNow(name: string, given: unknown): Groups {
  // In a copy, holes are undefined.
  const came: unknown = Array.isArray(given) ? Array.from(given) : given
  if (!isThree(came) || !came.every(n => Number.isInteger(n) && n >= 0)) {
    throw new ShapeError(
      `dispatch of ${name}`,
      'three whole numbers of workgroups, none below 0',
      came,
      isThree(came) ? `[${came.map(shown).join(', ')}]` : undefined,
    )
  }
  if (came[0] * came[1] * came[2] > maxGroups || came.some(n => n > maxGroups))
    throw new ShapeError(`dispatch of ${name}`, `at most ${maxGroups} workgroups`, came, came.join(' × '))
  return came
}

function isThree(came: unknown): came is Groups {
  return Array.isArray(came) && came.length === 3
}
