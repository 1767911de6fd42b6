/** The signing secret of a webhook endpoint, and its replacement by an operator. */

/** Binds a sealed signing secret to its webhook endpoint: moved to another record, it does not open. */
export const endpointSecretContext = (endpointId: string): string => `webhook-endpoint:${endpointId}:secret`

/** An operator replaced the endpoint's secret. */
export interface SecretRotation {
  /** Epoch milliseconds: since when the current secret signs. */
  readonly at: number
  /** Epoch milliseconds: until then, the previous secret signs too. */
  readonly previousUntil: number
  /**
   * The keyed fingerprint of `configuredSecretText` for the secret that the configuration named last. A configuration that
   * still names it does not bring it back; one that names another secret replaces the operator's.
   */
  readonly configured: string
}

export const configuredSecretText = (endpointId: string, secret: string): string =>
  `configured secret of webhook endpoint ${endpointId}\n${secret}`

interface SealedSecrets {
  readonly sealedSecret: string
  readonly sealedPreviousSecret?: string | null | undefined
  readonly rotation?: SecretRotation | undefined
}

/** Those that sign at `now`, in epoch milliseconds; the current one first. */
export const signingSecrets = (
  { rotation, sealedPreviousSecret, sealedSecret }: SealedSecrets,
  now: number
): ReadonlyArray<string> =>
  sealedPreviousSecret == null || (rotation !== undefined && now >= rotation.previousUntil)
    ? [sealedSecret]
    : [sealedSecret, sealedPreviousSecret]
