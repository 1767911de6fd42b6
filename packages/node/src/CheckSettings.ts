/** What can be wrong with the settings before anything is opened. All mistakes are reported together. */
import type { CheckIntervals, PointsmanOptions } from "@pointsman/core"
import { SecretsLayer } from "@pointsman/core"
import { anotherEffect } from "@pointsman/core/internal"
import { Effect, Layer, Option, Predicate, type Redacted, Result } from "effect"
import { StartError } from "./PointsmanError.ts"
import type { PointsmanSettings } from "./Settings.ts"

export interface Mistake {
  readonly field: string
  readonly message: string
}

export interface CheckedSettings {
  /** `undefined`: one is drawn, because the storage does not last either. */
  readonly encryptionKey: Redacted.Redacted<Uint8Array> | undefined
  readonly previousEncryptionKeys: ReadonlyArray<Redacted.Redacted<Uint8Array>>
  readonly claimWindowMillis: number
  readonly providerTimeoutMillis: number
  readonly options: PointsmanOptions
}

export const wrongSettings = (mistakes: ReadonlyArray<Mistake>): StartError =>
  new StartError(
    "wrong_settings",
    [
      "The settings are invalid; nothing was applied:",
      ...mistakes.map(({ field, message }) => `${field}: ${message}`)
    ].join("\n  "),
    mistakes
  )

/** Node's timers count in 31 bits of milliseconds. */
const longestMillis = 24 * 24 * 3_600_000

const names = new Set([
  "storage",
  "connectors",
  "encryptionKey",
  "previousEncryptionKeys",
  "workspaces",
  "generation",
  "archive",
  "workspace",
  "environment",
  "baseUrl",
  "docs",
  "background",
  "rateLimit",
  "inboundRateLimit",
  "cardNumbers",
  "lookUpsPerConnection",
  "proofLookUpsPerDay",
  "messagesPerConnection",
  "deliveriesPerEndpoint",
  "keepAliveMillis",
  "claimWindowMillis",
  "providerTimeoutMillis",
  "afterRestore",
  "checkIntervals",
  "webhookScheduleMillis",
  "allowPrivateWebhooks",
  "allowVolatileStorage",
  "log"
] satisfies ReadonlyArray<keyof PointsmanSettings>)

export const checkSettings = (settings: PointsmanSettings): Effect.Effect<CheckedSettings, StartError> => {
  if (!Predicate.isObject(settings))
    return Effect.fail(wrongSettings([{ field: "settings", message: "expected an object" }]))
  const mistakes: Array<Mistake> = []
  const expect: Expect = (field, isGood, message) => {
    if (!isGood) mistakes.push({ field, message })
  }
  for (const name of Object.keys(settings)) {
    expect(
      name,
      names.has(name as keyof PointsmanSettings),
      `unknown setting; expected one of ${[...names].join(", ")}`
    )
  }
  expect(
    "storage",
    isStorage(settings.storage),
    Predicate.hasProperty(settings.storage, "~pointsman/storage")
      ? anotherEffect
      : 'expected a storage, such as sqlite("payments.db") of @pointsman/node/sqlite'
  )
  checkConnectors(Array.isArray(settings.connectors) ? settings.connectors : [], expect)
  checkOptionalSettings(settings, expect)
  const intervals = Predicate.isObject(settings.checkIntervals) ? { ...settings.checkIntervals } : {}
  checkIntervals(intervals, expect)
  const claimWindowMillis = settings.claimWindowMillis ?? 15 * 60_000
  const providerTimeoutMillis = settings.providerTimeoutMillis ?? 30_000
  expect(
    "providerTimeoutMillis",
    providerTimeoutMillis < claimWindowMillis,
    "expected less than claimWindowMillis, or a claim would expire during its provider call"
  )
  const encryptionKey = encryptionKeyOf(settings)
  if (Result.isFailure(encryptionKey)) expect("encryptionKey", false, encryptionKey.failure)
  const previousEncryptionKeys = previousKeysOf(settings)
  expect(
    "previousEncryptionKeys",
    Option.isSome(previousEncryptionKeys),
    `expected an array of keys, each ${SecretsLayer.encryptionKeyExpected}`
  )
  if (mistakes.length > 0 || Result.isFailure(encryptionKey) || Option.isNone(previousEncryptionKeys))
    return Effect.fail(wrongSettings(mistakes))
  return Effect.succeed({
    encryptionKey: encryptionKey.success,
    previousEncryptionKeys: previousEncryptionKeys.value,
    claimWindowMillis,
    providerTimeoutMillis,
    options: {
      claimWindowMillis,
      providerTimeoutMillis,
      checkIntervals: Object.fromEntries(Object.entries(intervals).filter(([, value]) => value !== undefined)),
      webhookScheduleMillis: settings.webhookScheduleMillis,
      afterRestore: settings.afterRestore,
      cardNumbers: settings.cardNumbers,
      lookUpsPerConnection: settings.lookUpsPerConnection,
      messagesPerConnection: settings.messagesPerConnection,
      deliveriesPerEndpoint: settings.deliveriesPerEndpoint,
      proofLookUpsPerDay: settings.proofLookUpsPerDay ?? 24
    }
  })
}

type Expect = (field: string, isGood: boolean, message: string) => void

const checkConnectors = (connectors: ReadonlyArray<unknown>, expect: Expect): void => {
  expect("connectors", connectors.length > 0, "expected a list with at least one connector")
  for (const [index, connector] of connectors.entries()) {
    expect(
      `connectors[${index}]`,
      isConnector(connector),
      Predicate.hasProperty(connector, "~pointsman/connector")
        ? anotherEffect
        : "expected a connector, such as sandbox() of @pointsman/node/sandbox, or a definition"
    )
  }
  const called = connectors.map((connector) => (isConnector(connector) ? connector.name : ""))
  for (const [index, name] of called.entries()) {
    expect(
      `connectors[${index}]`,
      called.indexOf(name) === index,
      `expected unique connector names; "${name}" occurs more than once`
    )
  }
}

const isMillis = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= longestMillis
const millis = "expected a whole number of milliseconds from 1 to 24 days"

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

/** Settings that may be missing, each by itself. */
const checkOptionalSettings = (settings: PointsmanSettings, expect: Expect): void => {
  const optional = (field: keyof PointsmanSettings, isGood: (value: unknown) => boolean, message: string) =>
    expect(field, settings[field] === undefined || isGood(settings[field]), message)
  optional("workspaces", Array.isArray, "expected a list of workspaces")
  optional("generation", () => settings.workspaces !== undefined, "expected only together with workspaces")
  optional("workspace", Predicate.isString, "expected the id of a workspace")
  optional("environment", (value) => value === "sandbox" || value === "production", "expected sandbox or production")
  optional("baseUrl", isBaseUrl, "expected an absolute http or https URL without user, query or fragment")
  for (const field of ["docs", "background", "allowPrivateWebhooks", "allowVolatileStorage"] as const) {
    optional(field, Predicate.isBoolean, "expected true or false")
  }
  optional("rateLimit", isCount, "expected a whole number of requests per second, 1 or more")
  optional(
    "inboundRateLimit",
    (value) => value === "off" || isCount(value),
    'expected a whole number of messages per second, 1 or more, or "off"'
  )
  optional("cardNumbers", (value) => value === "warn" || value === "refuse", 'expected "warn" or "refuse"')
  for (const field of ["lookUpsPerConnection", "messagesPerConnection", "deliveriesPerEndpoint"] as const) {
    optional(field, isCount, "expected a whole number, 1 or more")
  }
  optional("proofLookUpsPerDay", (value) => value === 0 || isCount(value), "expected a whole number, 0 or more")
  optional("afterRestore", (value) => value === "refuse" || value === "serve", "expected refuse or serve")
  optional("keepAliveMillis", isMillis, millis)
  optional("claimWindowMillis", isMillis, millis)
  optional("providerTimeoutMillis", isMillis, millis)
  optional("log", Predicate.isFunction, "expected a function")
  optional("checkIntervals", Predicate.isObject, "expected an object")
  optional(
    "webhookScheduleMillis",
    (value) => Array.isArray(value) && value.length > 0 && value.every((delay) => delay === 0 || isMillis(delay)),
    "expected a list of delays in milliseconds, 0 or more"
  )
}

const intervalNames: ReadonlyArray<string> = [
  "unknownMillis",
  "pendingMillis",
  "refundMillis",
  "deadRequestMillis"
] satisfies ReadonlyArray<keyof CheckIntervals>

const checkIntervals = (intervals: Readonly<Record<string, unknown>>, expect: Expect): void => {
  for (const [name, value] of Object.entries(intervals)) {
    expect(
      `checkIntervals.${name}`,
      intervalNames.includes(name),
      `unknown setting; expected one of ${intervalNames.join(", ")}`
    )
    expect(`checkIntervals.${name}`, value === undefined || isMillis(value), millis)
  }
}

const encryptionKeyOf = ({
  encryptionKey,
  storage
}: PointsmanSettings): Result.Result<Redacted.Redacted<Uint8Array> | undefined, string> => {
  if (encryptionKey === undefined) {
    return Predicate.isObject(storage) && storage.lasts
      ? Result.fail(
          `expected ${SecretsLayer.encryptionKeyExpected}: ${storage.name} outlives this process, and its ` +
            "secrets can be decrypted only with the same key"
        )
      : Result.succeed(undefined)
  }
  return typeof encryptionKey === "string"
    ? Result.mapError(SecretsLayer.parseEncryptionKey(encryptionKey), (expected) => `expected ${expected}`)
    : Result.fail(`expected ${SecretsLayer.encryptionKeyExpected}`)
}

const previousKeysOf = ({
  previousEncryptionKeys: keys = []
}: PointsmanSettings): Option.Option<ReadonlyArray<Redacted.Redacted<Uint8Array>>> =>
  Array.isArray(keys)
    ? Option.all(
        keys.map((key) =>
          typeof key === "string" ? Result.getSuccess(SecretsLayer.parseEarlierEncryptionKey(key)) : Option.none()
        )
      )
    : Option.none()

const isStorage = (value: unknown): boolean =>
  Predicate.isObject(value) && Layer.isLayer(Reflect.get(value, "~pointsman/storage"))

const isConnector = (value: unknown): value is { readonly name: string } =>
  Predicate.isObject(value) &&
  typeof Reflect.get(value, "name") === "string" &&
  (Predicate.isFunction(Reflect.get(value, "connect")) || Effect.isEffect(Reflect.get(value, "~pointsman/connector")))

const isBaseUrl = (value: unknown): boolean => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return (
    url !== null &&
    /^https?:$/u.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  )
}
