/**
 * Sets of payments as boxes: for each field that a condition may name, the values that a payment may have there. A
 * condition is one box, and so is each limit of a connection, which makes "does one set lie within these others" a
 * question of cutting boxes. It is a hard question when many boxes cut across one another in many fields, so each is
 * answered within a bound, and "not known" is an answer.
 */

import type { Condition } from "@pointsman/core"
import { conditionFields } from "@pointsman/core/internal"

/** One bit for each distinguished value (`PaymentSpace`); a field without a bit makes the box empty. */
export type PaymentBox = Readonly<Record<keyof Condition, bigint>>

export type Coverage =
  /** Some payment of the box lies in none of the others. */
  | { readonly _tag: "Open" }
  /** Each lies in at least one. `by`: others that do it together, by index; none can be left out, unless the bound came first. */
  | { readonly _tag: "Covered"; readonly by: ReadonlyArray<number> }
  /** The bound was reached first. */
  | { readonly _tag: "NotKnown" }

/** Cuts that may still be made; shared by questions that belong together. */
export interface Effort {
  left: number
}

/** Cuts for one question: real rules need some tens, and so many are some 20 milliseconds. */
const cutsPerQuestion = 10_000

/** The fields in which no payment is in the box; one is enough to make it empty. */
export const emptyFields = (box: PaymentBox): ReadonlyArray<keyof Condition> =>
  conditionFields.filter((field) => box[field] === 0n)

/** Whether each payment of the box lies in one of the others at least. The box is not empty. */
export const coverageOf = (box: PaymentBox, others: ReadonlyArray<PaymentBox>, whole: Effort): Coverage => {
  const effort = { left: Math.min(cutsPerQuestion, whole.left) }
  const granted = effort.left
  const coverage = cover(box, others, effort)
  whole.left -= granted - effort.left
  return coverage
}

const cover = (box: PaymentBox, others: ReadonlyArray<PaymentBox>, effort: Effort): Coverage => {
  // Those that hold most of it first: what is left gets small early, and one that holds all of it answers at once.
  const touching = others
    .map((other, index) => ({ other, index, cutting: fieldsCut(box, other) }))
    .filter(({ other }) => touches(box, other))
    .sort((a, b) => a.cutting - b.cutting)
  const found = search(box, touching, 0, effort)
  if (found !== "covered") return found === "open" ? { _tag: "Open" } : { _tag: "NotKnown" }
  return { _tag: "Covered", by: withoutNeedless(box, touching, effort).sort((a, b) => a - b) }
}

interface Other {
  readonly other: PaymentBox
  readonly index: number
}

/** Later ones are left out first: earlier ones explain more. */
const withoutNeedless = (box: PaymentBox, others: ReadonlyArray<Other>, effort: Effort): Array<number> => {
  let needed = others
  for (const candidate of [...others].sort((a, b) => b.index - a.index)) {
    const rest = needed.filter((other) => other !== candidate)
    if (search(box, rest, 0, effort) === "covered") needed = rest
  }
  return needed.map(({ index }) => index)
}

/** Takes the others out of the box, one after the other, until something is left that none of them holds. */
const search = (
  box: PaymentBox,
  others: ReadonlyArray<Other>,
  from: number,
  effort: Effort
): "open" | "covered" | "not known" => {
  let at = from
  while (at < others.length && !touches(box, (others[at] as Other).other)) at++
  const cutting = others[at]?.other
  if (cutting === undefined) return "open"
  let inside = box
  for (const field of conditionFields) {
    const outside = inside[field] & ~cutting[field]
    if (outside === 0n) continue
    if (effort.left-- <= 0) return "not known"
    const found = search({ ...inside, [field]: outside }, others, at + 1, effort)
    if (found !== "covered") return found
    inside = { ...inside, [field]: inside[field] & cutting[field] }
  }
  return "covered"
}

const touches = (a: PaymentBox, b: PaymentBox): boolean => {
  for (const field of conditionFields) {
    if ((a[field] & b[field]) === 0n) return false
  }
  return true
}

const fieldsCut = (box: PaymentBox, other: PaymentBox): number =>
  conditionFields.filter((field) => (box[field] & ~other[field]) !== 0n).length
