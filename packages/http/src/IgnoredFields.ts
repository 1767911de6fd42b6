/**
 * The header `X-Ignored-Fields`: unknown fields of a body are ignored, since a client may be newer than the server, and
 * the answer to a sandbox key names them, since a developer may have misspelled one.
 */
import type { Environment } from "@pointsman/core"
import { Predicate } from "effect"
import { CreatePayment, Simulation } from "./api/CreatePayment.ts"
import { CapturePayment, RefundPayment } from "./api/RequestBodies.ts"

const namesAtMost = 10
const nameCharacters = 40

/** The fields of a body, by the schema of its operation. */
const fieldsOf = {
  create: new Set(Object.keys(CreatePayment.fields)),
  capture: new Set(Object.keys(CapturePayment.fields)),
  refund: new Set(Object.keys(RefundPayment.fields))
} as const
const simulationFields = new Set(Object.keys(Simulation.fields))

const unknownIn = (body: unknown, known: ReadonlySet<string>, prefix = ""): ReadonlyArray<string> =>
  Predicate.isObject(body) && !Array.isArray(body)
    ? Object.keys(body)
        .filter((name) => !known.has(name))
        .map((name) => prefix + name)
    : []

export interface IgnoredFields {
  readonly "x-ignored-fields"?: string
}

/** The headers of an answer. A name that has no UTF-8 form is left out. */
export const ignoredFields = (
  operation: keyof typeof fieldsOf,
  body: unknown,
  environment: Environment
): IgnoredFields => {
  if (environment !== "sandbox") return {}
  const names = [
    ...unknownIn(body, fieldsOf[operation]),
    ...(operation === "create" && Predicate.isObject(body) && "simulate" in body
      ? unknownIn(body["simulate"], simulationFields, "simulate.")
      : [])
  ]
    .filter((name) => name.isWellFormed())
    .slice(0, namesAtMost)
    .map((name) => encodeURIComponent([...name].slice(0, nameCharacters).join("")))
  return names.length === 0 ? {} : { "x-ignored-fields": names.join(",") }
}
