/**
 * The configuration file's shape. Fields that are not here are refused: a typing mistake in `blockedCategories` must
 * not let payments through. What a field may hold is said in `expected`, which is what the operator reads when it is
 * wrong.
 */
import {
  autoObjectives,
  captureMethods,
  eventTypes,
  feeRegions,
  initiators,
  isCurrency,
  operatorRoles,
  paymentMethodNames,
  paymentMethods,
  routingModes,
  scopes
} from "@pointsman/core"
import { isCountry, isNetwork } from "@pointsman/core/internal"
import { Option, Schema } from "effect"
import { ArchiveFile } from "./ArchiveFile.ts"
import {
  colorExpected,
  httpsExpected,
  isColor,
  isHttps,
  isLogo,
  isSupport,
  logoExpected,
  supportExpected
} from "./BrandFields.ts"
import { ConnectorsFile } from "./ConnectorsFile.ts"
import { type Decoded, decode } from "./DecodeFile.ts"
import { feeExpected, hasFee, isPercent, mostFixedFee, percentExpected } from "./FeeFields.ts"
import { isRetention, retentionExpected } from "./RetentionFields.ts"
import { durationExpected, everyExpected, momentExpected, readDuration, readEvery, readMoment } from "./TimeText.ts"

const text = (expected: string, isGood: (value: string) => boolean) =>
  Schema.String.annotate({ message: `expected ${expected}` }).check(Schema.makeFilter(isGood, { expected }))

const integer = (minimum: number, expected: string) =>
  Schema.Finite.annotate({ message: `expected ${expected}` }).check(
    Schema.makeFilter((value: number) => Number.isSafeInteger(value) && value >= minimum, { expected })
  )

const finite = (expected: string, isGood: (value: number) => boolean) =>
  Schema.Finite.annotate({ message: `expected ${expected}` }).check(Schema.makeFilter(isGood, { expected }))

/** An empty list would mean "nothing at all", which is never the intention. */
const listOf = <S extends Schema.Constraint>(item: S) => {
  const expected = "a list with at least one entry; omit the field for no limit"
  return Schema.Array(item).check(
    Schema.makeFilter((value: ReadonlyArray<unknown>) => value.length > 0, { expected }),
    Schema.makeFilter((value: ReadonlyArray<unknown>) => new Set(value).size === value.length, {
      expected: "a list without duplicates"
    })
  )
}

const Id = text(
  "an id of 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit first",
  (value) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u.test(value)
)
const Name = text("a name of 1 to 120 characters", (value) => {
  const length = Array.from(value).length
  return value.trim() !== "" && length <= 120
})
const Secret = text("a non-empty secret", (value) => value !== "")
const Word = text("a non-empty string", (value) => value.trim() !== "")
const Currency = text('an ISO 4217 currency code, such as "EUR"', isCurrency)
const Country = text('an ISO 3166-1 alpha-2 country code, such as "NL"', isCountry)
const DurationText = text(durationExpected, (value) => Option.isSome(readDuration(value)))
const Url = text("an absolute http or https URL without user or password", (value) => {
  const url = URL.parse(value)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === ""
})
const Moment = text(momentExpected, (value) => Option.isSome(readMoment(value)))
const Network = text('an IP address or a CIDR range, such as "203.0.113.0/24"', isNetwork)
const EnvironmentName = Schema.Literals(["sandbox", "production"])
const Method = Schema.Literals(paymentMethods)

/** The store counts on from the greatest one, and its numbers stay exact. */
const Generation = finite(
  "a whole number from 1 to 1000000000000000",
  (value) => Number.isSafeInteger(value) && value >= 1 && value <= 1_000_000_000_000_000
)

const AmountRange = Schema.Struct({
  min: Schema.optionalKey(integer(0, "a whole number of minor units, 0 or more")),
  max: Schema.optionalKey(integer(0, "a whole number of minor units, 0 or more"))
}).check(
  Schema.makeFilter(
    (range: { readonly min?: number; readonly max?: number }) => (range.min ?? 0) <= (range.max ?? Infinity),
    { expected: "min not greater than max" }
  )
)

/** Currencies are the keys, so they are checked with the whole file: a key has no schema of its own to say so. */
const AmountRanges = Schema.Record(Schema.String, AmountRange)

const ConditionFile = Schema.Struct({
  currency: Schema.optionalKey(listOf(Currency)),
  amount: Schema.optionalKey(AmountRange),
  country: Schema.optionalKey(listOf(Country)),
  method: Schema.optionalKey(listOf(Method)),
  paymentMethod: Schema.optionalKey(listOf(Schema.Literals(paymentMethodNames))),
  cardBrand: Schema.optionalKey(listOf(Word)),
  initiator: Schema.optionalKey(listOf(Schema.Literals(initiators))),
  captureMethod: Schema.optionalKey(listOf(Schema.Literals(captureMethods)))
})

const NamedMethodFile = Schema.Struct({
  currencies: Schema.optionalKey(listOf(Currency)),
  manualCapture: Schema.optionalKey(Schema.Boolean)
})

/** Names are checked with the whole file, as currencies are. */
const NamedMethodsFile = Schema.Record(Schema.String, NamedMethodFile)

const SupportsFile = Schema.Struct({
  currencies: Schema.optionalKey(listOf(Currency)),
  payerCountries: Schema.optionalKey(listOf(Country)),
  methods: Schema.optionalKey(listOf(Method)),
  paymentMethods: Schema.optionalKey(NamedMethodsFile),
  cardBrands: Schema.optionalKey(listOf(Word)),
  recurring: Schema.optionalKey(Schema.Boolean),
  merchantCountries: Schema.optionalKey(listOf(Country)),
  blockedCategories: Schema.optionalKey(listOf(Word)),
  amount: Schema.optionalKey(AmountRanges),
  requiresAuthentication: Schema.optionalKey(listOf(Country))
})

const FixedFee = finite(
  `a whole number of minor units from 0 to ${mostFixedFee}`,
  (value) => Number.isSafeInteger(value) && value >= 0 && value <= mostFixedFee
)

/** What the provider charges for a payment that it approves. Currencies and conditions are checked with the whole file. */
const FeeFile = Schema.Struct({
  when: Schema.optionalKey(
    Schema.Struct({
      currency: Schema.optionalKey(listOf(Currency)),
      country: Schema.optionalKey(listOf(Country)),
      region: Schema.optionalKey(listOf(Schema.Literals(feeRegions))),
      method: Schema.optionalKey(listOf(Method)),
      cardBrand: Schema.optionalKey(listOf(Word))
    })
  ),
  fixed: Schema.optionalKey(Schema.Record(Schema.String, FixedFee)),
  percent: Schema.optionalKey(text(percentExpected, isPercent))
}).check(Schema.makeFilter(hasFee, { expected: feeExpected }))

const ConnectionFile = Schema.Struct({
  id: Id,
  /** The id where it is left out. */
  name: Schema.optionalKey(Name),
  environment: EnvironmentName,
  /** `sandbox` where it is left out of a sandbox connection. */
  connector: Schema.optionalKey(Word),
  active: Schema.optionalKey(Schema.Boolean),
  priority: Schema.optionalKey(integer(1, "a whole number, 1 or more")),
  /** Whatever the connector asks for. */
  credentials: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ message: "expected an object" })
  ),
  webhookSecret: Schema.optionalKey(Secret),
  previousWebhookSecret: Schema.optionalKey(Secret),
  timeout: Schema.optionalKey(DurationText),
  supports: Schema.optionalKey(SupportsFile),
  restrictions: Schema.optionalKey(Schema.Array(Schema.Struct({ when: ConditionFile }))),
  circuitBreaker: Schema.optionalKey(
    Schema.Struct({ failures: integer(1, "a whole number, 1 or more"), open: DurationText })
  ),
  /** The first whose condition a payment meets; unknown where it is left out. */
  fees: Schema.optionalKey(listOf(FeeFile)),
  /** Its provider's reports are fetched that often, and only by hand where it is left out. */
  reports: Schema.optionalKey(Schema.Struct({ every: text(everyExpected, (value) => Option.isSome(readEvery(value))) }))
})
export type ConnectionFile = typeof ConnectionFile.Type

const Mode = Schema.Literals(routingModes).annotate({
  message: `expected one of ${routingModes.map((mode) => `"${mode}"`).join(", ")}`
})
const Attempts = integer(1, "a whole number of attempts, 1 or more")
const Order = listOf(Id)
const Share = finite("a share from 0 to 1", (share) => share >= 0 && share <= 1)

/** Without `strategy`: strategies are code, and this server has none but its own. */
const RoutingFile = Schema.Struct({
  /** `failover` where it is left out. */
  mode: Schema.optionalKey(Mode),
  order: Schema.optionalKey(Order),
  maxAttempts: Schema.optionalKey(Attempts),
  rules: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Name,
        when: ConditionFile,
        use: Schema.Struct({
          mode: Mode,
          order: Schema.optionalKey(Order),
          split: Schema.optionalKey(
            Schema.Record(
              Schema.String,
              finite("a weight above 0", (weight) => weight > 0)
            )
          ),
          maxAttempts: Schema.optionalKey(Attempts)
        })
      })
    )
  ),
  control: Schema.optionalKey(
    Schema.Struct({
      share: Share,
      order: Order
    })
  ),
  auto: Schema.optionalKey(
    Schema.Struct({
      exploration: Schema.optionalKey(Share),
      objective: Schema.optionalKey(Schema.Literals(autoObjectives)),
      maxApprovalLoss: Schema.optionalKey(Share)
    })
  )
})
export type RoutingFile = typeof RoutingFile.Type

const WebhookFile = Schema.Struct({
  environment: EnvironmentName,
  url: Url,
  /** `["*"]` where it is left out. */
  events: Schema.optionalKey(listOf(Schema.Literals(["*", ...eventTypes]))),
  secret: Secret,
  /** The secret before it: what is sent is signed with both until it is left out. */
  previousSecret: Schema.optionalKey(Secret)
})

export type WebhookFile = typeof WebhookFile.Type

/** How customers see the workspace on its hosted pages. */
const BrandFile = Schema.Struct({
  /** The workspace's name where it is left out. */
  name: Schema.optionalKey(Name),
  logo: Schema.optionalKey(text(logoExpected, isLogo)),
  /** Of the main button. Its contrast is checked with the whole file. */
  color: Schema.optionalKey(text(colorExpected, isColor)),
  support: Schema.optionalKey(text(supportExpected, isSupport)),
  terms: Schema.optionalKey(text(httpsExpected, isHttps))
})

/** For how long what has ended is kept. */
const RetentionFile = Schema.Struct({
  payments: Schema.optionalKey(text(retentionExpected("payments"), isRetention("payments"))),
  deliveries: Schema.optionalKey(text(retentionExpected("deliveries"), isRetention("deliveries"))),
  messages: Schema.optionalKey(text(retentionExpected("messages"), isRetention("messages")))
})

/** By currency, whose code is checked with the whole file. */
const LimitsFile = Schema.Record(Schema.String, integer(0, "a whole number of minor units, 0 or more"))

const WorkspaceFile = Schema.Struct({
  id: Id,
  /** The id where it is left out. */
  name: Schema.optionalKey(Name),
  country: Schema.optionalKey(Country),
  category: Schema.optionalKey(Word),
  suspended: Schema.optionalKey(Schema.Boolean),
  partner: Schema.optionalKey(Schema.Struct({ allowance: integer(0, "a whole number of sub-merchants, 0 or more") })),
  brand: Schema.optionalKey(BrandFile),
  hostedPage: Schema.optionalKey(Schema.Literals(["provider"])),
  /** The file's where it is left out. */
  retention: Schema.optionalKey(RetentionFile),
  /** The file's where it is left out. */
  fourEyes: Schema.optionalKey(LimitsFile),
  keys: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        environment: EnvironmentName,
        secret: Schema.String,
        /** Every scope where it is left out. */
        scopes: Schema.optionalKey(listOf(Schema.Literals(scopes))),
        name: Schema.optionalKey(Name),
        /** The key works until then. */
        expires: Schema.optionalKey(Moment),
        /** Any where it is left out. */
        networks: Schema.optionalKey(listOf(Network))
      })
    )
  ),
  connections: Schema.optionalKey(Schema.Array(ConnectionFile)),
  routing: Schema.optionalKey(
    Schema.Struct({ sandbox: Schema.optionalKey(RoutingFile), production: Schema.optionalKey(RoutingFile) })
  ),
  webhooks: Schema.optionalKey(Schema.Array(WebhookFile))
})
export type WorkspaceFile = typeof WorkspaceFile.Type

const Issuer = text(
  "an https URL, or http on this machine, without user, query, fragment and /.well-known",
  (value) => {
    const url = URL.parse(value)
    if (url === null || url.username !== "" || url.password !== "" || /[?#]|\/\.well-known\//u.test(value)) return false
    return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
  }
)
const isLoopback = (host: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(host)

/** How people sign in to the console by OpenID Connect. That roles need `rolesClaim` is checked with the whole file. */
const OidcFile = Schema.Struct({
  issuer: Issuer,
  clientId: Word,
  clientSecret: Secret,
  /** `["openid", "email", "profile"]` where it is left out. */
  scopes: Schema.optionalKey(listOf(text("a scope without spaces", (value) => /^[!#-[\]-~]+$/u.test(value)))),
  /** Of the button on the sign-in page. */
  name: Schema.optionalKey(Name),
  /** `email` where it is left out, which has to be verified. */
  loginClaim: Schema.optionalKey(Word),
  rolesClaim: Schema.optionalKey(Word),
  /** By the values of `rolesClaim`. Without `workspace`, the role counts in all of them. */
  roles: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Struct({ workspace: Schema.optionalKey(Id), role: Schema.Literals(operatorRoles) })
    )
  )
})

/** Of each server, and not a part of a generation: it is not stored in the database. */
const ConsoleFile = Schema.Struct({
  oidc: Schema.optionalKey(OidcFile),
  requirePasskey: Schema.optionalKey(listOf(Schema.Literals(operatorRoles))),
  /** What one operator gives back of a payment. No limit where a currency is left out. */
  refundLimits: Schema.optionalKey(LimitsFile),
  recentSignIn: Schema.optionalKey(
    Schema.Struct({
      /** 10 where it is left out. No session lasts longer than 12 hours. */
      minutes: Schema.optionalKey(integer(1, "a whole number of minutes, 1 or more")),
      /** What an operator gives back of a payment without a recent sign-in. No limit where a currency is left out. */
      refunds: Schema.optionalKey(LimitsFile)
    })
  )
})
export type ConsoleFile = typeof ConsoleFile.Type

export const ConfigurationFile = Schema.Struct({
  /** For editors. */
  $schema: Schema.optionalKey(Schema.String),
  /** A greater one is a newer configuration; without one, new content is. */
  generation: Schema.optionalKey(Generation),
  console: Schema.optionalKey(ConsoleFile),
  connectors: Schema.optionalKey(ConnectorsFile),
  archive: Schema.optionalKey(ArchiveFile),
  /** Of workspaces that say nothing else. */
  retention: Schema.optionalKey(RetentionFile),
  /** Of workspaces that say nothing else. */
  fourEyes: Schema.optionalKey(LimitsFile),
  workspaces: Schema.Array(WorkspaceFile)
})
export type ConfigurationFile = typeof ConfigurationFile.Type

/** Decodes the file's JSON; fails with every mistake in its shape. */
export const decodeConfigurationFile: (json: unknown) => Decoded<ConfigurationFile> = decode(ConfigurationFile)

/** `console` alone. */
export const decodeConsole: (json: unknown) => Decoded<ConsoleFile> = decode(ConsoleFile)

/** Parts of it, which operators state without a file; each fails with every mistake in its shape. */
export const decodeRouting: (json: unknown) => Decoded<RoutingFile> = decode(RoutingFile)
export const decodeConnection: (json: unknown) => Decoded<ConnectionFile> = decode(ConnectionFile)
export const decodeWebhook: (json: unknown) => Decoded<WebhookFile> = decode(WebhookFile)

/** The limits that a connector states; fails with every mistake in their shape. */
export const decodeSupports: (json: unknown) => Decoded<typeof SupportsFile.Type> = decode(SupportsFile)

/**
 * The id of the first connection that takes production payments; `undefined` for none. Such a configuration needs a storage
 * that survives the process: after a restart, a request that is sent again with its key would charge twice.
 */
export const productionConnection = ({ workspaces }: ConfigurationFile): string | undefined =>
  workspaces.flatMap(({ connections }) => connections ?? []).find(({ environment }) => environment === "production")?.id
