/**
 * What Checkout.com gives back to us as `reference`: which of our calls it is, and our id.
 *
 * A payment's reference has at most 80 characters, that of a payment link
 * 50, and of American Express 30 (https://api-reference.checkout.com/tag/Payment-Links). Our ids have up to 40, so that
 * their UUID is written in base 36, which is 25 letters and digits. A payment is looked up by this text.
 */

/** `charge`: a direct one, and one on a payment link, so that either is found by its attempt after a loss of records. */
export type Kind = "charge" | "capture" | "void" | "refund"

export interface Reference {
  readonly kind: Kind
  /** The attempt, operation or refund id. */
  readonly id: string
}

const letters = { charge: "a", capture: "c", void: "v", refund: "r" } as const satisfies Record<Kind, string>
const prefixes = { charge: "att_", capture: "op_", void: "op_", refund: "rf_" } as const satisfies Record<Kind, string>

const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/u
const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
/** 36 ** 25 is more than 2 ** 128. */
const length = 25

/** An id of another form than ours is written out, behind a full stop. */
export const referenceOf = ({ id, kind }: Reference): string => {
  const prefix = prefixes[kind]
  const hex = id.startsWith(prefix) ? uuid.exec(id.slice(prefix.length))?.slice(1).join("") : undefined
  return hex === undefined
    ? `${letters[kind]}.${id}`
    : `${letters[kind]}${BigInt(`0x${hex}`).toString(36).padStart(length, "0")}`
}

const kinds: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(letters) as ReadonlyArray<Kind>).map((kind) => [letters[kind], kind])
)

/** `undefined` for a reference of another program. */
export const readReference = (text: string): Reference | undefined => {
  const kind = kinds.get(text.slice(0, 1))
  if (kind === undefined) return undefined
  const rest = text.slice(1)
  const id = rest.startsWith(".") ? rest.slice(1) : idOf(kind, rest)
  // Only the text that we write for an id is ours.
  return id === undefined || id === "" || referenceOf({ kind, id }) !== text ? undefined : { kind, id }
}

const idOf = (kind: Kind, text: string): string | undefined => {
  if (text.length !== length || !/^[0-9a-z]+$/u.test(text)) return undefined
  const number = [...text].reduce((sum, digit) => sum * 36n + BigInt(digits.indexOf(digit)), 0n)
  const hex = number.toString(16).padStart(32, "0")
  if (hex.length > 32) return undefined
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `${prefixes[kind]}${parts.join("-")}`
}

/** The attempt that a reference names. */
export const attemptIn = (reference: Reference | undefined): string | undefined =>
  reference?.kind === "charge" ? reference.id : undefined
