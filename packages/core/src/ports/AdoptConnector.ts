/**
 * A connector definition that may come from another copy of Effect, made callable from this one.
 *
 * Effect 4 knows its values by names such as "~effect/Effect", so effects and results of a second copy work here. Effect 3
 * has other names (effect's sources, `Result.ts`). A `Redacted` is the exception: each copy keeps the values in a table of
 * its own (`internal/redacted.ts`), so that a secret of this copy cannot be read in another one.
 */
import { Predicate, Redacted, Result, Version } from "effect"
import { environments } from "../model/Tenant.ts"
import type { Connector, ConnectorDefinition, Hints, VerifiedBody } from "./Connector.ts"

export const anotherEffect = `it was made with another version of Effect: expected ${Version.getCurrentVersion()}`

const named = /^[a-z][a-z0-9-]{0,39}$/u

const knownEnvironments: ReadonlySet<unknown> = new Set(environments)

/** Why a loaded value cannot be adopted: the field and what was expected. `undefined` for one that can. */
export const connectorFault = (value: unknown): string | undefined => {
  if (!Predicate.isObject(value)) {
    return "expected a connector definition, such as defineConnector of @pointsman/node/connector returns"
  }
  const { connect, environments: given, expresses, name, redact, supports } = value
  if (typeof name !== "string" || !named.test(name)) {
    return "name: expected 1 to 40 lower-case letters, digits and dashes, a letter first"
  }
  if (!Array.isArray(given) || given.length === 0 || !given.every((one) => knownEnvironments.has(one))) {
    return `environments: expected a list with ${environments.join(" or ")} or both`
  }
  if (!Predicate.isObject(supports)) return "supports: expected an object; {} for no limits"
  if (expresses !== undefined && typeof expresses !== "function") return "expresses: expected a function, or nothing"
  if (typeof connect !== "function") return "connect: expected a function"
  if (typeof redact !== "function") {
    return "redact: expected `Redacted.make` of the `effect` that the connector imports"
  }
  return Redacted.isRedacted(redact("")) ? undefined : anotherEffect
}

/**
 * The same connector with secrets that it can read, and with methods that can be called apart from it: it may be an instance of
 * a class. A `connect` that throws, or returns no result of Effect 4, fails with a sentence. What it threw is not shown,
 * because it may quote the credentials. An amount counts as expressible where `expresses` returns `true`, and not where it
 * throws.
 */
export const adoptConnector = (definition: ConnectorDefinition): ConnectorDefinition => {
  const { checkoutMethods, environments: own, expresses, name, redact, supports } = definition
  return {
    name,
    environments: own,
    supports,
    ...(checkoutMethods && { checkoutMethods }),
    ...(expresses && {
      expresses: (money) => Result.getOrUndefined(Result.try((): unknown => expresses.call(definition, money))) === true
    }),
    ...(redact && { redact }),
    connect: (account, transport) =>
      Result.try({
        try: (): unknown => definition.connect(account, transport),
        catch: () => `the connector "${name}" threw an error when it was given the credentials`
      }).pipe(
        Result.flatMap((connected) =>
          Result.isResult(connected)
            ? (connected as ReturnType<ConnectorDefinition["connect"]>)
            : Result.fail(anotherEffect)
        ),
        Result.filterOrFail(canCharge, () => `the connector "${name}" has no methods charge and lookUpCharge`),
        Result.map((connector) => ({ ...bound(connector), ...(isForeign(redact) && withSecretsBy(redact, connector)) }))
      )
  }
}

const canCharge = (connector: unknown): boolean =>
  Predicate.isObject(connector) &&
  Predicate.isFunction(connector["charge"]) &&
  Predicate.isFunction(connector["lookUpCharge"])

type Redact = NonNullable<ConnectorDefinition["redact"]>

const isForeign = (redact: Redact | undefined): redact is Redact => redact !== undefined && redact !== Redacted.make

/** Every method of a connector: the type refuses a list with one missing. */
const methodNames = Object.keys({
  charge: true,
  lookUpCharge: true,
  openCheckout: true,
  completeCheckout: true,
  capture: true,
  void: true,
  refund: true,
  lookUpOperation: true,
  lookUpRefund: true,
  submitDispute: true,
  acceptDispute: true,
  lookUpDispute: true,
  readDispute: true,
  account: true,
  listCharges: true,
  listRefunds: true,
  listDisputes: true,
  readMessage: true,
  readStored: true,
  keptOfMessage: true
} satisfies Record<Exclude<keyof Connector, "hints" | "reports">, true>)

const hintNames = Object.keys({ read: true, lookUp: true } satisfies Record<keyof Hints, true>)

/** A plain object: methods of a class lose their `this` when they are called without the connector, as the engine does. */
const bound = (connector: Connector): Connector => ({
  ...(boundMethods(connector, methodNames) as Omit<Connector, "hints" | "reports">),
  ...(connector.reports && {
    reports: connector.reports.map((report) => ({
      ...report,
      list: report.list.bind(report),
      ...(report.download && { download: report.download.bind(report) })
    }))
  }),
  ...(connector.hints && { hints: boundMethods(connector.hints, hintNames) as Hints })
})

const boundMethods = (owner: object, names: ReadonlyArray<string>) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const method: unknown = Reflect.get(owner, name)
      return typeof method === "function" ? [[name, method.bind(owner)]] : []
    })
  )

const withSecretsBy = (redact: Redact, connector: Connector): Partial<Connector> => {
  const moved = (secret: Redacted.Redacted<string>) => redact(Redacted.value(secret))
  const withMoved = <A extends VerifiedBody>(message: A): A => ({
    ...message,
    secret: moved(message.secret),
    otherSecret: message.otherSecret && moved(message.otherSecret)
  })
  const { readMessage, readStored } = connector
  return {
    charge: (request) =>
      connector.charge({ ...request, instrument: request.instrument === null ? null : moved(request.instrument) }),
    ...(readMessage && {
      readMessage: (message) => readMessage.call(connector, withMoved(message))
    }),
    ...(readStored && {
      readStored: (message) => readStored.call(connector, withMoved(message))
    })
  }
}
