/**
 * What `createPointsman` is given. Workspaces have the shape of the server's configuration file, checked by the same
 * code: docs/guides/configuration.md says what each field means.
 */
import type {
  CaptureMethod,
  Environment,
  EventType,
  Initiator,
  PaymentMethod,
  PaymentMethodName
} from "@pointsman/client/contract"
import type { Scope } from "./Records.ts"

/** A text, or the name of an environment variable that holds it, so that secrets need not be in files. */
export type Text = string | { readonly $env: string }

/** A text such as "30 seconds" or "15 minutes". */
export type Duration = string

/**
 * What a storage is: `sqlite("payments.db")` of `@pointsman/node/sqlite`, `postgres(url)` of
 * `@pointsman/node/postgres`, `memory()` of `@pointsman/node/memory`. Passed on as it is.
 */
export interface Storage {
  readonly name: string
  readonly lasts: boolean
  readonly "~pointsman/storage": unknown
}

/** What a connector is: `sandbox()` of `@pointsman/node/sandbox`, or a `definition`. Passed on as it is. */
export interface Connector {
  readonly name: string
}

export interface AmountRange {
  /** Minor units. */
  readonly min?: number
  readonly max?: number
}

export interface Condition {
  readonly currency?: ReadonlyArray<string>
  readonly amount?: AmountRange
  readonly country?: ReadonlyArray<string>
  readonly method?: ReadonlyArray<PaymentMethod>
  readonly paymentMethod?: ReadonlyArray<PaymentMethodName>
  readonly cardBrand?: ReadonlyArray<string>
  readonly initiator?: ReadonlyArray<Initiator>
  readonly captureMethod?: ReadonlyArray<CaptureMethod>
}

export interface Supports {
  readonly currencies?: ReadonlyArray<string>
  readonly payerCountries?: ReadonlyArray<string>
  readonly methods?: ReadonlyArray<PaymentMethod>
  /** By name; without `manualCapture: false` it can be authorized, and captured later. */
  readonly paymentMethods?: {
    readonly [Name in PaymentMethodName]?: {
      readonly currencies?: ReadonlyArray<string>
      readonly manualCapture?: boolean
    }
  }
  readonly cardBrands?: ReadonlyArray<string>
  readonly recurring?: boolean
  readonly merchantCountries?: ReadonlyArray<string>
  readonly blockedCategories?: ReadonlyArray<string>
  /** By currency. */
  readonly amount?: { readonly [currency: string]: AmountRange }
  readonly requiresAuthentication?: ReadonlyArray<string>
}

/** An account at a provider. */
export interface Connection {
  readonly id: string
  readonly name?: string
  readonly environment: Environment
  /** The name of one of `connectors`; `sandbox` unless set in the sandbox environment. */
  readonly connector?: string
  readonly active?: boolean
  readonly priority?: number
  /** Whatever the connector asks for. */
  readonly credentials?: { readonly [field: string]: unknown }
  readonly webhookSecret?: Text
  /** The one before it: messages signed with either are taken until this is left out. */
  readonly previousWebhookSecret?: Text
  readonly timeout?: Duration
  readonly supports?: Supports
  readonly restrictions?: ReadonlyArray<{ readonly when: Condition }>
  readonly circuitBreaker?: { readonly failures: number; readonly open: Duration }
  /** What the provider charges for a payment that it approves: the first whose condition the payment meets. */
  readonly fees?: ReadonlyArray<Fee>
  /** How often the background fetches the provider's reports, from `"1 hour"` to `"7 days"`; it does not unless set. */
  readonly reports?: { readonly every: Duration }
}

/** At least one of `fixed` and `percent`. */
export interface Fee {
  readonly when?: FeeCondition
  /** Minor units, by currency. */
  readonly fixed?: { readonly [currency: string]: number }
  /** Of the amount, from `"0"` to `"100"`, with at most four decimals: `"1.45"`. */
  readonly percent?: string
}

/** The payments that a fee is for; an absent field is for all. */
export interface FeeCondition {
  readonly currency?: ReadonlyArray<string>
  /** The customer's. */
  readonly country?: ReadonlyArray<string>
  /** Of the customer, as seen from the workspace's country. `eea`: the other countries of the European Economic Area. */
  readonly region?: ReadonlyArray<"domestic" | "eea" | "international">
  readonly method?: ReadonlyArray<PaymentMethod>
  readonly cardBrand?: ReadonlyArray<string>
}

export type RoutingMode = "fixed" | "priority" | "failover" | "auto"

export interface RoutingRule {
  readonly name: string
  readonly when: Condition
  readonly use: {
    readonly mode: RoutingMode
    readonly order?: ReadonlyArray<string>
    readonly split?: { readonly [connection: string]: number }
    readonly maxAttempts?: number
  }
}

export interface Routing {
  readonly mode?: RoutingMode
  readonly order?: ReadonlyArray<string>
  readonly maxAttempts?: number
  readonly rules?: ReadonlyArray<RoutingRule>
  readonly control?: { readonly share: number; readonly order: ReadonlyArray<string> }
  readonly auto?: {
    readonly exploration?: number
    /** `approval` unless set. With `value`, fees are weighed. */
    readonly objective?: "approval" | "value"
    /** With `value`: the most approval that a leading connection may give up, from 0 to 1; 0.01 unless set. */
    readonly maxApprovalLoss?: number
  }
}

/** Where events are sent. */
export interface Webhook {
  readonly environment: Environment
  readonly url: Text
  readonly events?: readonly ["*"] | ReadonlyArray<EventType>
  readonly secret: Text
  readonly previousSecret?: Text
}

/** How customers see a workspace on its hosted pages. */
export interface Brand {
  /** The workspace's name unless set. */
  readonly name?: string
  /** An https URL, or a `data:` URL of an image of at most 32,768 characters in base64. */
  readonly logo?: Text
  /** Of the main button: `#` and six hexadecimal digits. White text on it needs a contrast of 4.5:1. */
  readonly color?: string
  /** An https or mailto URL at which customers get help. */
  readonly support?: string
  /** An https URL of the terms and conditions. */
  readonly terms?: string
}

/** For how long what has ended is kept: `"90 days"`, `"7 years"`, or `"off"` for good. */
export interface Retention {
  /** Closed payments, from their last write; `"7 years"` unless set. */
  readonly payments?: string
  /** Deliveries of webhooks that have ended; `"90 days"` unless set. */
  readonly deliveries?: string
  /** Bodies of providers' messages; `"90 days"` unless set. */
  readonly messages?: string
}

export interface Workspace {
  readonly id: string
  readonly name?: string
  readonly country?: string
  readonly category?: string
  readonly suspended?: boolean
  readonly partner?: { readonly allowance: number }
  readonly brand?: Brand
  /** Sandbox pages lead to the provider's own test page instead of showing buttons. */
  readonly hostedPage?: "provider"
  readonly retention?: Retention
  /** Minor units by currency, from which on a second person approves what an operator states; one is enough unless set. */
  readonly fourEyes?: { readonly [currency: string]: number }
  /** API keys of those who come by HTTP. Calls of this program need none. */
  readonly keys?: ReadonlyArray<{
    readonly environment: Environment
    readonly secret: Text
    readonly scopes?: ReadonlyArray<Scope>
  }>
  readonly connections?: ReadonlyArray<Connection>
  readonly routing?: { readonly sandbox?: Routing; readonly production?: Routing }
  readonly webhooks?: ReadonlyArray<Webhook>
}

/**
 * Where closed payments go before retention removes them from the storage: a folder, or a bucket of Amazon S3 or of a
 * service with its API. A bucket needs the package `@aws-sdk/client-s3`, which the program installs.
 */
export type Archive =
  | { readonly folder: Text }
  | {
      readonly s3: {
        readonly bucket: Text
        readonly region: Text
        /** The URL of another service than Amazon's. */
        readonly endpoint?: Text
        /** What the names of all objects begin with. */
        readonly prefix?: Text
        /** With `secretAccessKey`; without both, the AWS SDK looks for credentials, such as those of the instance's role. */
        readonly accessKeyId?: Text
        readonly secretAccessKey?: Text
        readonly sessionToken?: Text
      }
    }

/** What happened, for the log of the program: never with a secret. */
export interface LogLine {
  readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace"
  readonly message: string
  /** `request_id` and the like. */
  readonly fields: { readonly [name: string]: unknown }
  /** The failure behind it, in the words of a stack trace. */
  readonly cause?: string
}

/** Whose payment a call is about, if it differs from the defaults of `createPointsman`. */
export interface CallOptions {
  readonly workspace?: string | undefined
  readonly environment?: Environment | undefined
}

export interface PointsmanSettings {
  readonly storage: Storage
  /**
   * Accepts production over a storage that is gone with the process, such as `memory()`. After a restart, a request that is
   * sent again with its key charges twice. `false` unless set.
   */
  readonly allowVolatileStorage?: boolean
  readonly connectors: ReadonlyArray<Connector>
  /**
   * Base64 of 32 bytes, as `openssl rand -base64 32` prints it. Needed with a storage that lasts. To replace it, name the
   * earlier one in `previousEncryptionKeys`, and call `rotateEncryption`.
   */
  readonly encryptionKey?: string
  /** Other keys, which open what they sealed. */
  readonly previousEncryptionKeys?: ReadonlyArray<string>
  /**
   * Applied at start if it is newer than the configuration that the storage has: what is no longer named here becomes
   * inactive, and nothing is deleted. Older workspaces are not applied, and the log says so. If omitted, the stored
   * configuration applies, as another process with this storage applied it.
   */
  readonly workspaces?: ReadonlyArray<Workspace>
  /**
   * Number of the configuration that `workspaces` are, 1 or more: a greater number is newer. The same number with other
   * content fails the start. If omitted, workspaces that were never applied to this storage are newer.
   */
  readonly generation?: number
  /** Unless set, payments that leave the storage are gone. */
  readonly archive?: Archive
  /** Whose payments calls are about unless they say otherwise; where `workspaces` has one alone, that one unless set. */
  readonly workspace?: string
  /** The environment that calls are about unless they say otherwise. There is no default: money is never guessed at. */
  readonly environment?: Environment
  /**
   * Where `handler` or `listener` is reached from outside (`https://shop.example`). Hosted pages lie under it; without it
   * there are none, and `return_url` is refused.
   */
  readonly baseUrl?: string
  /** Serves the API's reference at `/docs` and its error codes at `/docs/errors`. `false` unless set. */
  readonly docs?: boolean
  /**
   * Settles payments with an unknown result, sends webhooks, fetches reports, and learns. `true` unless set; with `false`,
   * call `checkDue` now and then, or let another process on this storage do it.
   */
  readonly background?: boolean
  /** Requests per second and API key over HTTP, twice as many at once. No limit unless set. */
  readonly rateLimit?: number
  /**
   * Verified messages of providers per second and connection over HTTP, twice as many at once; 1,000 unless set. `"off"`
   * disables the limit.
   */
  readonly inboundRateLimit?: number | "off"
  /**
   * Digits in the texts of a payment or refund that may be a card number or an order number: stored with a warning once
   * an hour, or refused. Card numbers in groups, or beside an expiry date, are always refused. `"warn"` unless set.
   */
  readonly cardNumbers?: "warn" | "refuse"
  /** Payments of one connection that this process checks at once, each waiting for its provider; 16 unless set. */
  readonly lookUpsPerConnection?: number
  /** Messages of one connection that this process records at once; further ones wait. 16 unless set. */
  readonly messagesPerConnection?: number
  /** Webhooks that are on their way to one endpoint at once, from all processes; 4 unless set. */
  readonly deliveriesPerEndpoint?: number
  /**
   * Closed payments of one connection that are compared with the provider's record in a day, by all processes; 24 unless
   * set, 0 for none.
   */
  readonly proofLookUpsPerDay?: number
  /**
   * How long a server whose only listener is `listener` keeps an idle connection: longer than the load balancer in front
   * does. 75,000 milliseconds unless set; a server that the program gave a longer time keeps that.
   */
  readonly keepAliveMillis?: number
  /** For how long a claim without an answer counts as being worked on; 900,000 milliseconds unless set. */
  readonly claimWindowMillis?: number
  /**
   * What happens to requests at connections that are not recovered after the database lost records: they are refused
   * before anything is sent, or served all the same. `"refuse"` unless set.
   */
  readonly afterRestore?: "refuse" | "serve"
  /** Of a call to a provider where its connection names none; 30,000 milliseconds unless set. */
  readonly providerTimeoutMillis?: number
  /** How often the background looks at what is open, in milliseconds. */
  readonly checkIntervals?: {
    readonly unknownMillis?: number
    readonly pendingMillis?: number
    readonly refundMillis?: number
    readonly deadRequestMillis?: number
  }
  /** Delays before the attempts to deliver a webhook, in milliseconds, each a tenth more or less. */
  readonly webhookScheduleMillis?: ReadonlyArray<number>
  /** Lets webhooks go to loopback and private addresses. `false` unless set. */
  readonly allowPrivateWebhooks?: boolean
  /** Takes the log. Unless set, it goes to the console. A line at which it throws is lost. */
  readonly log?: (line: LogLine) => void
}
