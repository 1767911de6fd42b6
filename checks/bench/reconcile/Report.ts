/**
 * Files of reports about the payments that `FillStores.ts` writes, in each provider's documented columns and in the order of the
 * payments' numbers, with planted differences.
 */
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Movement } from "../../../packages/reconcile/test/support/Movements.ts"
import { lineOf, type ReportFile, reportFiles } from "../../../packages/reconcile/test/support/ReportFiles.ts"
import { attemptIdOf, authorizedEvery, createdAtOf, providerRefOf } from "../kit/FilledIds.ts"
import { type Planted, unknownRefOf } from "./Planted.ts"

const gross = 1_000
/** What the connection's fee rules say. */
export const feeMinor = 25
const settledAfterMillis = 48 * 60 * 60_000

/** Where a payout is, after so many payments. */
const payoutEvery = 2_000

/** Of a payment, on an average: the others have one for nine payments of ten. */
const rowsOfPayment: Readonly<Record<string, number>> = {
  "adyen-payment-accounting": 1.8,
  "checkout-financial-actions": 2.7
}

/** The payments that a file of so many rows is about. */
export const paymentsIn = (format: string, rows: number): number => Math.ceil(rows / (rowsOfPayment[format] ?? 0.9))

export const formatNames: ReadonlyArray<string> = reportFiles.map(({ format }) => format)

const fileNamed = (format: string): ReportFile => {
  const found = reportFiles.find((one) => one.format === format)
  if (found === undefined) throw new Error(`--format: expected one of ${formatNames.join(", ")}`)
  return found
}

/** As a provider writes a payment that was captured in one step: it names no operation, no refund and no dispute. */
const movementOf = (number: number, fields: Partial<Movement> = {}): Movement => {
  const occurredAt = createdAtOf(number)
  return {
    index: number,
    kind: "charge",
    attemptId: attemptIdOf(number),
    operationId: "",
    refundId: "",
    providerRef: providerRefOf(number),
    providerRefundId: `REF${number}`,
    disputeId: "",
    reference: "",
    currency: "EUR",
    gross,
    payoutCurrency: "EUR",
    converted: gross,
    fee: feeMinor,
    net: gross - feeMinor,
    payoutId: String(1_000 + Math.floor(number / payoutEvery)),
    occurredAt,
    settledAt: occurredAt + settledAfterMillis,
    ...fields
  }
}

const amount = (units: number): Partial<Movement> => ({ gross: units, converted: units, net: units - feeMinor })

/** Numbers of movements that are no payment's. */
const besides = 100_000_000
const another = (number: number) => ({ index: besides + number, providerRefundId: `REF${besides + number}` })

const movementsOf = (number: number, planted: Planted | undefined): ReadonlyArray<Movement> => {
  const one = movementOf(number)
  if (planted === undefined) return number % authorizedEvery === 0 ? [] : [one]
  const names = { attemptId: attemptIdOf(besides + number), providerRef: unknownRefOf(number) }
  const rows: Readonly<Record<Planted, ReadonlyArray<Movement>>> = {
    amount_differs: [{ ...one, ...amount(900) }],
    missing_here: [one, { ...one, ...another(number), ...names }],
    missing_there: [],
    status_differs: [one],
    duplicate: [one, { ...one, ...another(number) }],
    same_row: [one, one],
    fee_differs: [{ ...one, fee: feeMinor + 1, net: gross - feeMinor - 1 }]
  }
  return rows[planted]
}

/** Of the merchant's balance, without a fee. */
const booked = (kind: Movement["kind"], minorUnits: number): Partial<Movement> => ({
  ...{ kind, gross: minorUnits, converted: minorUnits, fee: 0, net: minorUnits }
})

const payout = (number: number): Movement =>
  movementOf(number, { index: besides * 2 + number, ...booked("payout", -payoutEvery * (gross - feeMinor)) })

/** What another file about the same payments has besides. */
const adjustment = movementOf(0, { index: besides * 3, providerRefundId: "REF", ...booked("adjustment", -1) })

/** The writers put `tr_` in front of Mollie's references, and PayPal's transaction in the place of a refund. */
const named = (format: string, movement: Movement): Movement => {
  if (format === "mollie-settlement") return { ...movement, providerRef: movement.providerRef.slice("tr_".length) }
  return format === "http" ? { ...movement, providerRefundId: "" } : movement
}

const pieceAtLeast = 65_536

interface Content {
  readonly format: string
  readonly payments: number
  readonly planted: ReadonlyMap<number, Planted>
  /** Another file: with one movement more. */
  readonly isAnother: boolean
}

const textOf = function* ({ format, isAnother, payments, planted }: Content): Generator<string> {
  const file = fileNamed(format)
  const linesOf = (movement: Movement) =>
    file
      .write(named(format, movement))
      .map(({ record }) => lineOf(record))
      .join("")
  let text = file.before.map(lineOf).join("") + (isAnother ? linesOf(adjustment) : "")
  for (let number = 0; number < payments; number++) {
    const made = movementsOf(number, planted.get(number))
    for (const movement of number % payoutEvery === payoutEvery - 1 ? [...made, payout(number)] : made) {
      text += linesOf(movement)
    }
    if (text.length < pieceAtLeast) continue
    yield text
    text = ""
  }
  yield text + file.after.map(lineOf).join("")
}

/** A piece at a time. */
export const writeReport = (path: string, content: Content): Promise<void> =>
  pipeline(Readable.from(textOf(content)), createWriteStream(path))
