/**
 * Everything sealed that the store holds, of whatever record, so that another key can take the place of the one that
 * sealed it; and the keys that fingerprints, ids and page tokens are derived with, which outlive every encryption key.
 */
import { Context, type Effect, type Option } from "effect"
import { checkoutUrlContext } from "../model/Attempt.ts"
import { credentialsContext, webhookSecretContext } from "../model/Connection.ts"
import { evidenceContext } from "../model/Dispute.ts"
import { endpointSecretContext } from "../model/EndpointSecret.ts"
import { messageContext } from "../model/StoredMessage.ts"
import type { StorageError } from "./StorageError.ts"

/** What a sealed text is, and what its record is found by. */
export const sealedKinds = [
  /** The derivation keys: `["derivation"]`. */
  "derivation",
  /** Of a connection: `[id]`. */
  "credentials",
  "webhookSecret",
  "previousWebhookSecret",
  /** Of a webhook endpoint: `[id]`. */
  "endpointSecret",
  "previousEndpointSecret",
  /** The address of an attempt's checkout: `[workspace, environment, payment id, attempt id]`. */
  "checkout",
  /** The body of a provider's message: `[workspace, environment, connection id, event id]`. */
  "message",
  /** The evidence that is kept for a dispute: `[workspace, environment, payment id, dispute id]`. */
  "evidence"
] as const

export type SealedKind = (typeof sealedKinds)[number]

/** Binds the sealed derivation keys to their place. */
export const derivationContext = "derivation-keys"

/** What the derivation keys are found by. */
export const derivationKey: ReadonlyArray<string> = ["derivation"]

export interface SealedText {
  readonly kind: SealedKind
  readonly key: ReadonlyArray<string>
  readonly sealed: string
}

/** What binds a sealed text to its record. */
export const sealedContext = (kind: SealedKind, key: ReadonlyArray<string>): string => {
  const [first = "", , third = "", fourth = ""] = key
  switch (kind) {
    case "derivation":
      return derivationContext
    case "credentials":
      return credentialsContext(first)
    case "webhookSecret":
    case "previousWebhookSecret":
      return webhookSecretContext(first)
    case "endpointSecret":
    case "previousEndpointSecret":
      return endpointSecretContext(first)
    case "checkout":
      return checkoutUrlContext(fourth)
    case "message":
      return messageContext(third, fourth)
    case "evidence":
      return evidenceContext(fourth)
  }
}

export interface SealedQuery {
  readonly kind: SealedKind
  /** The key of the last one of the page before; `null` for the first page. */
  readonly after: ReadonlyArray<string> | null
  readonly limit: number
}

/** A text that replaces the one that was read. */
export interface SealedReplacement extends SealedText {
  readonly expected: string
}

export class SealedTexts extends Context.Service<
  SealedTexts,
  {
    /** A page, in the store's order of keys. */
    readonly list: (query: SealedQuery) => Effect.Effect<ReadonlyArray<SealedText>, StorageError>
    /** Writes each where `expected` is still stored; how many were written. Texts of one kind. */
    readonly replace: (
      kind: SealedKind,
      replacements: ReadonlyArray<SealedReplacement>
    ) => Effect.Effect<number, StorageError>
    readonly derivation: Effect.Effect<Option.Option<string>, StorageError>
    /** Stores the sealed derivation keys where there are none; gives those that are stored. */
    readonly keepDerivation: (sealed: string) => Effect.Effect<string, StorageError>
  }
>()("pointsman/ports/SealedTexts") {}
