/** A connector of plain functions as the definition that core is given. */
import {
  type CheckoutRequest,
  type Clean,
  type ConnectorAccount,
  type ConnectorDefinition,
  type Connector as CoreConnector,
  cleaner,
  credentialsReader,
  HeaderText,
  MessageUnreadable,
  MessageUnverified,
  type Money,
  NotSent,
  type ProviderMessage,
  ProviderUrl,
  type Supports,
  secretsOf,
  type Transport
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, Schema } from "effect"
import type { Connector } from "../Settings.ts"
import type * as Plain from "./ConnectorSpec.ts"
import * as Results from "./Results.ts"
import { runOperation } from "./RunOperation.ts"

type Kinds = Readonly<Record<string, Plain.CredentialKind>>

const fields: Readonly<Record<Plain.CredentialKind, { readonly schema: Schema.Decoder<string>; expected: string }>> = {
  secret: { schema: HeaderText, expected: "printable ASCII text without spaces" },
  url: { schema: ProviderUrl, expected: "an https URL, or an http URL of this machine, without query or fragment" },
  text: { schema: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_000)), expected: "a text" }
}

const named = /^[a-z][a-z0-9-]{0,39}$/u

/** Throws a `TypeError` where `spec` cannot be one: a wrong name, a missing function. */
export const defineConnector = <const Fields extends Kinds>(spec: Plain.ConnectorSpec<Fields>): Connector => {
  checkSpec(spec as Plain.ConnectorSpec<Kinds>)
  const names = Object.keys(spec.credentials)
  const schema = Schema.Struct(Object.fromEntries(names.map((name) => [name, fields[kindOf(spec, name)].schema])))
  const expected = Object.fromEntries(names.map((name) => [name, fields[kindOf(spec, name)].expected]))
  const read = credentialsReader(schema, expected, names.length === 0 ? "no fields" : names.join(", "))
  const definition: ConnectorDefinition = {
    name: spec.name,
    environments: spec.environments ?? ["sandbox", "production"],
    supports: (spec.supports ?? {}) as Supports,
    ...(spec.expresses && { expresses: spec.expresses }),
    redact: Redacted.make,
    connect: (account, transport) =>
      Result.map(read(account.credentials), (credentials) =>
        connector(
          spec as Plain.ConnectorSpec<Kinds>,
          credentials as Readonly<Record<string, string>>,
          account,
          transport
        )
      )
  }
  return definition
}

const kindOf = (spec: { readonly credentials: Kinds }, name: string): Plain.CredentialKind =>
  spec.credentials[name] as Plain.CredentialKind

const required = ["charge", "lookUpCharge"] as const
const optional = [
  "expresses",
  "openCheckout",
  "completeCheckout",
  "capture",
  "void",
  "refund",
  "lookUpOperation",
  "lookUpRefund",
  "account",
  "verifyMessage",
  "readMessage"
] as const

const checkSpec = (spec: Plain.ConnectorSpec<Kinds>): void => {
  const expect = (isGood: boolean, field: string, expected: string) => {
    if (!isGood) throw new TypeError(`defineConnector: ${field}: expected ${expected}`)
  }
  expect(typeof spec === "object" && spec !== null, "the argument", "an object")
  expect(named.test(spec.name), "name", "1 to 40 lower-case letters, digits and dashes, a letter first")
  expect(
    typeof spec.credentials === "object" && spec.credentials !== null,
    "credentials",
    'an object of fields, such as { apiKey: "secret" }'
  )
  for (const name of Object.keys(spec.credentials)) {
    expect(kindOf(spec, name) in fields, `credentials.${name}`, Object.keys(fields).join(", "))
  }
  for (const name of required) expect(typeof spec[name] === "function", name, "a function")
  for (const name of optional) expect(["function", "undefined"].includes(typeof spec[name]), name, "a function")
  expect(
    (spec.verifyMessage === undefined) === (spec.readMessage === undefined),
    spec.verifyMessage === undefined ? "verifyMessage" : "readMessage",
    "both verifyMessage and readMessage, or neither"
  )
  const known: ReadonlySet<string> = new Set([
    ...required,
    ...optional,
    "name",
    "environments",
    "supports",
    "credentials"
  ])
  for (const name of Object.keys(spec)) expect(known.has(name), name, "no such field")
}

const connector = (
  spec: Plain.ConnectorSpec<Kinds>,
  credentials: Readonly<Record<string, string>>,
  { connectionId, environment, timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): CoreConnector => {
  const secrets = Object.keys(spec.credentials)
    .filter((name) => spec.credentials[name] === "secret")
    .map((name) => Redacted.make(credentials[name] ?? ""))
  const clean = cleaner(secrets)
  const given = (http: Plain.Http): Plain.Given<Kinds> => ({ http, credentials, environment, connectionId })
  const perform: Perform = (name, run, request, read, cleanOf = clean) =>
    runOperation({
      name: `${spec.name}.${name}`,
      timeoutMillis,
      transport,
      clean: cleanOf,
      run: (http) => run(request, given(http)),
      read
    })
  const send: Send = (...operation) => ifExpressed(spec, operation[2].amount, perform(...operation))
  const { account, capture, refund, lookUpOperation, lookUpRefund } = spec

  return {
    charge: (request) =>
      send(
        "charge",
        spec.charge,
        { ...charged(request), instrument: request.instrument === null ? null : Redacted.value(request.instrument) },
        Results.chargeResult,
        request.instrument === null ? clean : cleaner([...secrets, request.instrument])
      ),
    lookUpCharge: ({ attemptId, checkoutReference, money, providerRef, sentAt, sentBefore = sentAt }) =>
      perform(
        "lookUpCharge",
        spec.lookUpCharge,
        { attemptId, checkoutReference, sentAt, sentBefore, reference: providerRef, amount: money },
        Results.foundCharge
      ),
    ...checkouts(spec, perform, send),
    ...(capture && {
      capture: ({ attemptId, money, operationId, providerRef }) =>
        send(
          "capture",
          capture,
          { operationId, attemptId, reference: providerRef, amount: money },
          Results.chargeResult
        )
    }),
    ...(spec.void && {
      void: ({ attemptId, operationId, providerRef }) =>
        perform(
          "void",
          spec.void as NonNullable<typeof spec.void>,
          { operationId, attemptId, reference: providerRef },
          Results.chargeResult
        )
    }),
    ...(refund && {
      refund: ({ attemptId, money, providerRef, reason, refundId }) =>
        send(
          "refund",
          refund,
          { refundId, attemptId, reference: providerRef, amount: money, reason },
          Results.refundResult
        )
    }),
    ...(lookUpOperation && {
      lookUpOperation: ({ attemptId, kind, money, operationId, providerRef, sentAt }) =>
        perform(
          "lookUpOperation",
          lookUpOperation,
          { operationId, kind, attemptId, reference: providerRef, sentAt, amount: money },
          Results.foundOperation
        )
    }),
    ...(lookUpRefund && {
      lookUpRefund: ({ money, providerRef, providerRefundId, refundId, sentAt, sentBefore = sentAt }) =>
        perform(
          "lookUpRefund",
          lookUpRefund,
          { refundId, refundReference: providerRefundId, reference: providerRef, sentAt, sentBefore, amount: money },
          Results.foundRefund
        )
    }),
    ...(account && {
      account: () => perform("account", (_: null, given) => account(given), null, Results.accountResult)
    }),
    ...messages(spec, clean)
  }
}

type Asked<Request, A> = readonly [
  name: string,
  run: (request: Request, given: Plain.Given<Kinds>) => unknown,
  request: Request,
  read: (value: unknown, clean: Clean) => Results.Read<A>,
  cleanOf?: Clean
]

type Perform = <Request, A>(...operation: Asked<Request, A>) => ReturnType<typeof runOperation<A>>

/** As `perform`, of an operation that sends an amount. */
type Send = <Request extends { readonly amount: Money }, A>(
  ...operation: Asked<Request, A>
) => ReturnType<typeof runOperation<A>>

/** Routing asks for no charge that cannot be expressed, but a part of one may be captured or refunded. */
const ifExpressed = <A, E>(
  { expresses, name }: Plain.ConnectorSpec<Kinds>,
  { currency, minorUnits }: Money,
  operation: Effect.Effect<A, E>
): Effect.Effect<A, E | NotSent> =>
  Effect.suspend((): Effect.Effect<A, E | NotSent> => {
    if (expresses === undefined || expresses({ minorUnits, currency }) === true) return operation
    return new NotSent({ reason: `nothing was sent: ${name} cannot express ${minorUnits} minor units of ${currency}` })
  })

/** What a connector with pages of the provider's has. */
const checkouts = (
  { completeCheckout, openCheckout }: Plain.ConnectorSpec<Kinds>,
  perform: Perform,
  send: Send
): Pick<CoreConnector, "openCheckout" | "completeCheckout"> => ({
  ...(openCheckout && {
    openCheckout: (request) => send("openCheckout", openCheckout, onPage(request), Results.checkoutResult)
  }),
  ...(completeCheckout && {
    completeCheckout: ({ attemptId, capture, checkoutReference, money }) =>
      perform(
        "completeCheckout",
        completeCheckout,
        { attemptId, checkoutReference, amount: money, capture },
        Results.chargeResult
      )
  })
})

const onPage = (request: CheckoutRequest): Plain.CheckoutRequest => ({
  ...charged(request),
  returnUrl: request.returnUrl,
  ...(request.paymentMethod === undefined ? {} : { paymentMethod: request.paymentMethod })
})

const charged = ({
  attemptId,
  capture,
  cardBrand,
  country,
  initiator,
  method,
  money,
  paymentId,
  reference
}: Pick<
  Parameters<CoreConnector["charge"]>[0],
  "attemptId" | "capture" | "cardBrand" | "country" | "initiator" | "method" | "money" | "paymentId" | "reference"
>) => ({ attemptId, paymentId, amount: money, country, method, cardBrand, initiator, capture, reference })

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const messages = (
  { name, readMessage, verifyMessage }: Plain.ConnectorSpec<Kinds>,
  clean: Clean
): Pick<CoreConnector, "readMessage" | "readStored"> => {
  if (readMessage === undefined || verifyMessage === undefined) return {}
  const readStored: NonNullable<CoreConnector["readStored"]> = (message) => {
    const unreadable = (reason: string) => new MessageUnreadable({ reason: `${name}.readMessage ${reason}` })
    return Effect.tryPromise({
      try: async () => readMessage(utf8.decode(message.body)),
      catch: () => unreadable("threw")
    }).pipe(
      Effect.flatMap((value) => {
        const hidden = cleaner(secretsOf(message))
        const both = Object.assign((text: string) => clean(hidden(text)), {
          shows: (text: string) => clean.shows(text) || hidden.shows(text)
        })
        return Effect.fromResult(
          Result.mapError(Results.messageResult(value, both), (field) =>
            unreadable(`returned what is no message${field === "" ? "" : ` at ${field}`}`)
          )
        )
      })
    )
  }
  return {
    readStored,
    readMessage: (message) =>
      Effect.tryPromise({
        try: async () => {
          const { body, headers, receivedAt, secret } = message
          return verifyMessage({ body, headers, receivedAt, secret: Redacted.value(secret) })
        },
        catch: () => new MessageUnverified({ reason: `${name}.verifyMessage threw` })
      }).pipe(
        Effect.flatMap(
          (isVerified): Effect.Effect<ProviderMessage, MessageUnverified | MessageUnreadable> =>
            isVerified === true
              ? readStored(message)
              : Effect.fail(new MessageUnverified({ reason: `${name}.verifyMessage refused it` }))
        )
      )
  }
}
