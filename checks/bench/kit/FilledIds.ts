/** Ids of the payments that `FillStores.ts` writes, by their numbers: in the order of the numbers, and older than all others. */
import type { CreateRequest } from "@pointsman/core"
import { createRequest } from "./CreateRequest.ts"

/** Their first twelve digits, of the number 0: a time in 2004. */
const firstNumber = 0x0100_0000_0000
/** From one payment to the next, in milliseconds: a million of them are made in a year. */
export const everyMillis = 30_000

/** When a payment was created, in epoch milliseconds. */
export const createdAtOf = (number: number): number => firstNumber + number * everyMillis

const hex = (number: number) => createdAtOf(number).toString(16).padStart(12, "0")

const uuidOf = (number: number, last: number): string => {
  const digits = hex(number)
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-00000000000${last}`
}

export const paymentIdOf = (number: number): string => uuidOf(number, 1)
export const attemptIdOf = (number: number): string => `att_${uuidOf(number, 2)}`
/** Of an event by its own number: each payment has two at least. */
export const eventIdOf = (number: number): string => `evt_${uuidOf(number, 3)}`

export const keyOf = (number: number): string => `key-${hex(number)}`

/** The text of the sample payment that each filled payment replaces by a text of its own. */
export const sampleText = "order-filled"
export const textOf = (number: number): string => `order-${hex(number)}`
/** The create of a filled payment: it has metadata of its own, and some that every payment has. */
export const sampleRequest = (key: string, captureMethod: "automatic" | "manual"): CreateRequest =>
  createRequest(sampleText, key, captureMethod, { order: sampleText, channel: "web" })
/** With the prefix of Mollie's payments, without which its reports name none. */
export const providerRefOf = (number: number): string => `tr_${attemptIdOf(number)}`

/** The others are captured. */
export const authorizedEvery = 10

export const captureMethodOf = (number: number): "automatic" | "manual" =>
  number % authorizedEvery === 0 ? "manual" : "automatic"
