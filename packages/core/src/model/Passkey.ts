/** Passkeys of operators (WebAuthn), and the challenges that they answer. */

export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string
  readonly operatorId: string
  /** For the operator, to tell it from the others. */
  readonly name: string
  /** A COSE key, base64url. */
  readonly publicKey: string
  /** How often it signed, by its own count; 0 where it does not count. */
  readonly counter: number
  /** How browsers reach it, such as `internal` or `usb`. */
  readonly transports: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds of the last sign-in; `null` for none. */
  readonly usedAt: number | null
}

/** Is answered once, by a passkey that signs it. */
export interface PasskeyChallenge {
  /** Lower-case hex SHA-256 of the challenge. */
  readonly hash: string
  /** The operator who adds a passkey; `null` for a sign-in. */
  readonly operatorId: string | null
  /** Epoch milliseconds, from which on it is refused. */
  readonly expiresAt: number
}

/** Time to find the device and touch it. */
export const passkeyChallengeMillis = 5 * 60_000

/** More than the devices of a person; each is sent to the browser when another one is added. */
export const passkeysAtMost = 20
