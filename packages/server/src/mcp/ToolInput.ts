/** What a tool takes: its schema for clients, and for the arguments of a call. */
import { environments } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { PaymentFilter, pageLimits } from "@pointsman/http/api"
import { Effect, Schema } from "effect"

const described = (description: string) => ({ description })

/** Whose records. */
export const tenantInput = Schema.Struct({
  workspace: Schema.optionalKey(Schema.String).annotateKey(
    described("Id of the workspace. Optional if the operator sees only one.")
  ),
  environment: Schema.optionalKey(Schema.Literals(environments)).annotateKey(
    described("Optional if the workspace has connections in only one of them.")
  )
})
export type NamedTenant = typeof tenantInput.Type

const text = (most: number) => Schema.String.check(Schema.isMinCodePoints(1), Schema.isMaxCodePoints(most))

export const paymentField = { payment: text(64).annotateKey(described("Id of the payment.")) }
export const disputeField = { dispute: text(255).annotateKey(described("Id of the dispute.")) }

export const limitField = {
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween(pageLimits))).annotateKey(
    described("Maximum number of rows; default: 20.")
  )
}
export const defaultLimit = 20

const { connection, created_before, created_from, currency, status } = PaymentFilter.fields

export const searchFields = {
  text: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(500))).annotateKey(
    described(
      "A payment's id, a reference of the merchant or of a provider, metadata as `name=text` or its text alone, or an " +
        "amount such as `19.99` or `1999 JPY`. Without it, the newest payments."
    )
  ),
  status: status.annotateKey(described("Only payments with this status, such as DECLINED or UNKNOWN.")),
  connection: connection.annotateKey(described("Only payments at this connection.")),
  currency: currency.annotateKey(described("Only payments in this currency, ISO 4217.")),
  created_from: created_from.annotateKey(described("Only payments created at this time or later, RFC 3339.")),
  created_before: created_before.annotateKey(described("Only payments created before this time, RFC 3339.")),
  before: Schema.optionalKey(text(64)).annotateKey(described("The `next_cursor` of the previous page."))
}

export const afterField = {
  after: Schema.optionalKey(text(64)).annotateKey(described("The `next_cursor` of the previous page."))
}

export const draftFields = {
  amount: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotateKey(
    described("Minor units of the payment's currency; default: all that is left.")
  ),
  reason: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(200))).annotateKey(
    described("Why, for the person who approves it; it is stored with the refund.")
  ),
  idempotency_key: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[ -~]{8,200}$/u))).annotateKey(
    described("Repeats an earlier draft safely; default: a new one, which the answer names.")
  )
}

const expectations = {
  ...InProcess.queryExpectations,
  workspace: "the id of a workspace",
  environment: "sandbox or production",
  payment: "the id of a payment: text of 1 to 64 characters",
  dispute: "the id of a dispute: text of 1 to 255 characters",
  text: "text of at most 500 characters",
  amount: "an integer of at least 1, in the minor unit of the payment's currency",
  reason: "text of at most 200 characters",
  idempotency_key: "8 to 200 printable ASCII characters"
}

/** With the names of its fields. */
export type Input<A> = Schema.Decoder<A> & { readonly fields: Readonly<Record<string, unknown>> }

/** Names each wrong field. `own`: what a tool expects of a field, where others expect something else. */
export const decodeInput = <A>(input: Input<A>, given: unknown, own: Readonly<Record<string, string>> = {}) =>
  Schema.decodeUnknownEffect(input, { errors: "all" })(given).pipe(
    Effect.mapError(({ issue }) => InProcess.validationError(issue, { ...expectations, ...own }))
  )

export type Given = Readonly<Record<string, unknown>>

/** A misspelt field would otherwise be as if it were not given. */
export const refuseUnknownFields = (names: ReadonlyArray<string>, given: Given) => {
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const clauses = unknown.slice(0, 5).map((name) => `\`${name.slice(0, 40)}\` must be one of ${names.join(", ")}`)
  return clauses.length > 0 ? Effect.fail(InProcess.validationErrorOf(...clauses)) : Effect.void
}

/** An object in JSON Schema 2020-12, for `inputSchema`. Descriptions are beside the type, where every client reads them. */
export const jsonSchemaOf = (input: Schema.Constraint) => {
  const { schema } = Schema.toJsonSchemaDocument(input, { onExcessProperty: "error" })
  const properties = Object.entries(schema["properties"] ?? {}).map(([name, { allOf = [], ...rest }]) => [
    name,
    Object.assign({}, rest, ...allOf)
  ])
  return { ...schema, type: "object" as const, properties: Object.fromEntries(properties) }
}
