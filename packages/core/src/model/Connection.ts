import type { CaptureMethod, Initiator } from "./Payment.ts"
import type { NamedMethods, PaymentMethod, PaymentMethodName } from "./PaymentMethod.ts"
import type { ConnectionAccount } from "./ProviderAccount.ts"
import type { Environment } from "./Tenant.ts"

/** A merchant's account at a provider. */
export interface Connection {
  /** Unique over all workspaces: it names the inbound webhook's path. */
  readonly id: string
  readonly workspaceId: string
  readonly environment: Environment
  readonly name: string
  /** The connector (adapter) that talks to the provider, by name. */
  readonly connector: string
  /** An inactive connection gets no new payments; its existing payments continue. */
  readonly active: boolean
  /** 1 is asked before 2; equal priorities go by id. */
  readonly priority: number
  /** The connector's credentials as JSON text, sealed with the encryption key. */
  readonly sealedCredentials: string
  readonly sealedWebhookSecret: string | null
  /** Absent but while the provider's messages may be signed with another secret than `sealedWebhookSecret` too. */
  readonly sealedPreviousWebhookSecret?: string
  /** Time-out of one provider call, in milliseconds; `null` for the server's default. */
  readonly timeoutMillis: number | null
  readonly supports: Supports
  /** A payment that matches one of these is not sent here. */
  readonly restrictions: ReadonlyArray<Condition>
  readonly circuitBreaker: CircuitBreakerSettings | null
  /** What its provider charges, as the merchant states it: the first rule that a payment meets. Absent where nothing is stated. */
  readonly fees?: ReadonlyArray<FeeRule>
  /** How often the background fetches its provider's reports. Absent where it does not. */
  readonly reports?: ReportSchedule
  /** Absent where the provider never named it. A configuration does not write it: see `Directory.recordAccount`. */
  readonly account?: ConnectionAccount
}

/** What a connection takes. An absent field means no limit. */
export interface Supports {
  readonly currencies?: ReadonlyArray<string>
  readonly payerCountries?: ReadonlyArray<string>
  readonly methods?: ReadonlyArray<PaymentMethod>
  /** By name. A payment that names its method goes only where it is declared, and `methods` does not limit it there. */
  readonly paymentMethods?: NamedMethods
  readonly cardBrands?: ReadonlyArray<string>
  /** `false`: no merchant-initiated payments. */
  readonly recurring?: boolean
  readonly merchantCountries?: ReadonlyArray<string>
  readonly blockedCategories?: ReadonlyArray<string>
  /** Minor units, by currency; a currency that is not named has no limit. */
  readonly amount?: Readonly<Record<string, AmountRange>>
  /** Payer countries in which it takes no customer-initiated payment without authentication. */
  readonly requiresAuthentication?: ReadonlyArray<string>
}

/** Minor units, both ends included. */
export interface AmountRange {
  readonly min?: number
  readonly max?: number
}

/** Matches a payment when every named field does. */
export interface Condition {
  readonly currency?: ReadonlyArray<string>
  readonly amount?: AmountRange
  readonly country?: ReadonlyArray<string>
  readonly method?: ReadonlyArray<PaymentMethod>
  /** By name. A payment that names none matches none of them. */
  readonly paymentMethod?: ReadonlyArray<PaymentMethodName>
  readonly cardBrand?: ReadonlyArray<string>
  readonly initiator?: ReadonlyArray<Initiator>
  readonly captureMethod?: ReadonlyArray<CaptureMethod>
}

export interface ReportSchedule {
  /** From one fetch to the next, in milliseconds. */
  readonly everyMillis: number
}

export interface CircuitBreakerSettings {
  /** Technical errors and unknown results in a row that open the circuit. */
  readonly failures: number
  /** Milliseconds for which it stays open before one probe is let through. */
  readonly openMillis: number
}

/** Binds sealed credentials to their connection: moved to another record, they do not open. */
export const credentialsContext = (connectionId: string): string => `connection:${connectionId}:credentials`
/** Of either webhook secret. */
export const webhookSecretContext = (connectionId: string): string => `connection:${connectionId}:webhook-secret`

// What a provider charges for a payment that it approves, as the merchant states it.

/** Where the customer is: the merchant's country, another one of the European Economic Area, or elsewhere. */
export const feeRegions = ["domestic", "eea", "international"] as const
export type FeeRegion = (typeof feeRegions)[number]

/** The payments that a fee is for; an absent field is for all. */
export interface FeeCondition {
  readonly currency?: ReadonlyArray<string>
  /** The customer's. */
  readonly country?: ReadonlyArray<string>
  readonly method?: ReadonlyArray<PaymentMethod>
  readonly cardBrand?: ReadonlyArray<string>
  readonly region?: ReadonlyArray<FeeRegion>
}

/** The first rule of a connection whose condition a payment meets is its fee. At least one of `fixed` and `partsPerMillion`. */
export interface FeeRule {
  readonly when?: FeeCondition
  /** Minor units by currency. In a currency that is not named the fee is unknown. */
  readonly fixed?: Readonly<Record<string, number>>
  /** Of the amount: 14,500 is 1.45 %. From 0 to 1,000,000. */
  readonly partsPerMillion?: number
}
