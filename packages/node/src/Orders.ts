/**
 * What callers hand in, checked. The API's own schemas decide wherever it takes the same thing. Unlike the API, which has
 * to bear with clients of later versions, a call names no field that does not exist: `captureMethod` beside
 * `capture_method` would charge at once what was to be held, and a misspelled idempotency key would charge twice.
 */
import {
  type Environment,
  environments,
  type Metadata,
  type OperatorStatement as StatementRecord,
  statedOfCharges,
  statedOfRefunds
} from "@pointsman/core"
import {
  CapturePayment,
  CreatePayment,
  disputesQueryFields,
  eventsQueryFields,
  IdempotencyKey,
  Metadata as MetadataSchema,
  pageLimits,
  paymentsQueryFields,
  RefundPayment,
  timelineQueryFields
} from "@pointsman/http/api"
import * as InProcess from "@pointsman/http/in-process"
import { Effect, Option, Predicate, Schema } from "effect"
import { type PointsmanError, ValidationError } from "./PointsmanError.ts"
import type { OperatorStatement } from "./Records.ts"
import { deliveryStateOf, deliveryStatuses } from "./Views.ts"

type Checked<A> = Effect.Effect<A, PointsmanError>

export const wrong = (message: string): ValidationError =>
  new ValidationError("validation_error", message, /^`([^`]+)`/u.exec(message)?.[1])

/** Its fields that are set, all of them known. `what`: as the caller knows the argument. */
export const fieldsOf = (
  what: string,
  given: unknown,
  known: ReadonlyArray<string>
): Effect.Effect<Readonly<Record<string, unknown>>, ValidationError> => {
  if (given === undefined) return Effect.succeed({})
  if (!Predicate.isObject(given) || Array.isArray(given)) return Effect.fail(wrong(`\`${what}\` must be an object.`))
  const fields = Object.entries(given).filter(([, value]) => value !== undefined)
  const unknown = fields.find(([name]) => !known.includes(name))
  return unknown === undefined
    ? Effect.succeed(Object.fromEntries(fields))
    : Effect.fail(wrong(`\`${unknown[0]}\` is not a field of \`${what}\`: expected one of ${known.join(", ")}.`))
}

export const createFields = (order: unknown) => fieldsOf("order", order, Object.keys(CreatePayment.fields))
export const captureFields = (order: unknown) => fieldsOf("order", order, Object.keys(CapturePayment.fields))
export const apiKeyFields = (order: unknown) => fieldsOf("order", order, ["scopes", "name", "expiresAt", "networks"])
export const consoleFields = (options: unknown) =>
  fieldsOf("options", options, [
    "mount",
    "basePath",
    "isSecure",
    "sourceOf",
    "oidc",
    "requirePasskey",
    "refundLimits",
    "recentSignIn"
  ])
export const operatorFields = (order: unknown) => fieldsOf("order", order, ["login", "name", "role", "workspaces"])
export const operatorEditFields = (order: unknown) => fieldsOf("order", order, ["name", "roles"])
export const linkFields = (order: unknown) => fieldsOf("order", order, ["consoleUrl"])
export const byFields = (options: unknown) => fieldsOf("options", options, ["by"])
export const refundFields = (order: unknown) => fieldsOf("order", order, Object.keys(RefundPayment.fields))

export interface Options {
  readonly workspace: string | undefined
  readonly environment: Environment | undefined
  readonly idempotencyKey: string | null
}

const callOptions = ["workspace", "environment"]

export const checkOptions = (given: unknown, hasKey: boolean): Checked<Options> =>
  Effect.flatMap(fieldsOf("options", given, hasKey ? [...callOptions, "idempotencyKey"] : callOptions), (fields) => {
    const { environment, idempotencyKey, workspace } = fields
    if (workspace !== undefined && typeof workspace !== "string") {
      return Effect.fail(wrong("`workspace` must be the id of a workspace."))
    }
    if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
      return Effect.fail(
        new ValidationError(
          "invalid_idempotency_key",
          `\`idempotencyKey\` must be ${InProcess.queryExpectations["idempotency-key"]}.`,
          "idempotencyKey"
        )
      )
    }
    const options = { workspace, environment: undefined, idempotencyKey: idempotencyKey ?? null }
    if (environment === undefined) return Effect.succeed<Options>(options)
    return Effect.map(checkEnvironment(environment), (environment): Options => ({ ...options, environment }))
  })

const isKey = Schema.is(IdempotencyKey)

const checkEnvironment = (environment: unknown): Checked<Environment> => {
  const known = environments.find((one) => one === environment)
  return known === undefined
    ? Effect.fail(wrong(`\`environment\` must be one of ${environments.join(", ")}.`))
    : Effect.succeed(known)
}

/** `name`: as the caller knows it. A time in epoch milliseconds. */
export const checkDate = (name: string, given: unknown): Checked<number> => {
  const at = given instanceof Date ? given.getTime() : Number.NaN
  return Number.isNaN(at) ? Effect.fail(wrong(`\`${name}\` must be a date.`)) : Effect.succeed(at)
}

/** Who asks, for the audit trail. */
export const checkBy = (by: unknown): Checked<string> =>
  typeof by === "string" && by.trim() !== "" && Array.from(by).length <= 120
    ? Effect.succeed(by)
    : Effect.fail(wrong("`by` must be a name of 1 to 120 characters."))

/** `name`: as the caller knows it. */
export const checkId = (name: string, id: unknown): Checked<string> =>
  typeof id === "string" && id !== "" ? Effect.succeed(id) : Effect.fail(wrong(`\`${name}\` must be an id.`))

/** By the API's schemas, which read a query's text. */
const queryOf =
  <Fields extends { readonly limit?: number }>(
    schema: Schema.Codec<Fields, Readonly<Record<string, string | Metadata | undefined>>> & { readonly fields: object }
  ) =>
  (query: unknown) =>
    Effect.flatMap(fieldsOf("query", query, Object.keys(schema.fields)), (given) =>
      Schema.decodeUnknownEffect(schema, { errors: "all" })(
        Object.fromEntries(
          Object.entries(given).map(([name, value]) => [name, typeof value === "number" ? String(value) : value])
        )
      ).pipe(
        Effect.mapError(({ issue }) =>
          wrong(InProcess.validationError(issue, InProcess.queryExpectations).error.message)
        ),
        Effect.map((fields) => ({ ...fields, limit: fields.limit ?? pageLimits.default }))
      )
    )

const checkPayments = queryOf(Schema.Struct({ ...paymentsQueryFields, metadata: Schema.optionalKey(MetadataSchema) }))
export const paymentsQuery = (query: unknown) =>
  Effect.map(checkPayments(query), ({ before, limit, ...filter }) => ({
    ...InProcess.filterOf(filter),
    before,
    limit
  }))
export const timelineQuery = queryOf(Schema.Struct(timelineQueryFields))
export const eventsQuery = queryOf(Schema.Struct(eventsQueryFields))
const checkDisputes = queryOf(Schema.Struct(disputesQueryFields))
export const disputesQuery = (query: unknown) =>
  Effect.map(checkDisputes(query), ({ payment, ...page }) => ({ ...page, paymentId: payment }))

/** `texts`: text by name. `files`: bytes by name. */
export const evidenceFields = Effect.fnUntraced(function* (evidence: unknown) {
  const { files = {}, texts = {} } = yield* fieldsOf("evidence", evidence, ["texts", "files"])
  const isTexts = Predicate.isObject(texts) && Object.values(texts).every((text) => typeof text === "string")
  if (!isTexts) return yield* Effect.fail(wrong("`texts` must be an object of texts by name."))
  const isFiles = Predicate.isObject(files) && Object.values(files).every((bytes) => bytes instanceof Uint8Array)
  if (!isFiles) return yield* Effect.fail(wrong("`files` must be an object of a Uint8Array for each name."))
  return {
    texts: texts as Readonly<Record<string, string>>,
    files: Object.entries(files as Readonly<Record<string, Uint8Array>>).map(([name, bytes]) => ({ name, bytes }))
  }
})

const isLimit = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= pageLimits.minimum && Number(value) <= pageLimits.maximum

export const limitOf = (value: unknown): Checked<number> =>
  value === undefined
    ? Effect.succeed(pageLimits.default)
    : isLimit(value)
      ? Effect.succeed(value)
      : Effect.fail(wrong(`\`limit\` must be ${InProcess.queryExpectations.limit}.`))

export const deliveriesQuery = Effect.fnUntraced(function* (query: unknown) {
  const fields = yield* fieldsOf("query", query, ["status", "before", "limit"])
  const state = typeof fields["status"] === "string" ? deliveryStateOf(fields["status"]) : undefined
  if (fields["status"] !== undefined && state === undefined) {
    return yield* Effect.fail(wrong(`\`status\` must be one of ${deliveryStatuses.join(", ")}.`))
  }
  const before = fields["before"]
  return {
    state,
    before: before === undefined ? undefined : yield* checkId("before", before),
    limit: yield* limitOf(fields["limit"])
  }
})

/** The cursor of reviews: since when the last one waits, and its payment. */
export const reviewCursor = (since: number, paymentId: string): string => `${since}:${paymentId}`

export const reviewsQuery = Effect.fnUntraced(function* (query: unknown) {
  const fields = yield* fieldsOf("query", query, ["after", "limit"])
  const limit = yield* limitOf(fields["limit"])
  if (fields["after"] === undefined) return { limit }
  const [, since, paymentId] = /^(\d{1,16}):([0-9a-f-]{36})$/u.exec(String(fields["after"])) ?? []
  if (since === undefined || paymentId === undefined) {
    return yield* Effect.fail(wrong(`\`after\` must be ${InProcess.queryExpectations.after}.`))
  }
  return { limit, after: { since: Number(since), paymentId } }
})

const ChargeStatement = Schema.Struct({
  about: Schema.Literal("charge"),
  says: Schema.Literals(statedOfCharges),
  attempt_id: Schema.optionalKey(Schema.String),
  amount: Schema.optionalKey(Schema.Finite),
  provider_reference: Schema.optionalKey(Schema.String)
})
const RefundStatement = Schema.Struct({
  about: Schema.Literal("refund"),
  says: Schema.Literals(statedOfRefunds),
  refund_id: Schema.String,
  provider_refund_id: Schema.optionalKey(Schema.String)
})
const NothingToChange = Schema.Struct({ about: Schema.Literal("nothing") })
/** A misspelled `amount` would settle the whole of it. */
const decodeStatement = Schema.decodeUnknownOption(Schema.Union([ChargeStatement, RefundStatement, NothingToChange]), {
  onExcessProperty: "error"
})

export const checkStatement = (stated: OperatorStatement): Checked<StatementRecord> => {
  const known = Option.getOrUndefined(decodeStatement(stated))
  if (known === undefined) {
    return Effect.fail(
      wrong(
        '`stated` must be {about: "charge", says: captured, authorized, declined, canceled, capture_failed, ' +
          "void_failed or never_received}, with attempt_id, amount and provider_reference where they are known, " +
          '{about: "refund", refund_id, says: succeeded, failed or never_received}, with provider_refund_id where it ' +
          'is known, or {about: "nothing"}.'
      )
    )
  }
  switch (known.about) {
    case "charge":
      return Effect.succeed({
        _tag: "Charge",
        says: known.says,
        attemptId: known.attempt_id ?? null,
        amountMinor: known.amount ?? null,
        providerRef: known.provider_reference ?? null
      })
    case "refund":
      return Effect.succeed({
        _tag: "Refund",
        says: known.says,
        refundId: known.refund_id,
        providerRefundId: known.provider_refund_id ?? null
      })
    case "nothing":
      return Effect.succeed({ _tag: "NothingToChange" })
  }
}
