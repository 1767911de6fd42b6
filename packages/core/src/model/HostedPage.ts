/** The page that a customer pays on, of a payment that was created with `return_url`. */
export interface HostedPage {
  /** SHA-256 of the token in the page's address. The token itself is not stored: it is derived anew. */
  readonly tokenHash: string
  /** `null` after an erasure of personal data, which leaves a payment that waits for its customer alone. */
  readonly returnUrl: string | null
  readonly cancelUrl: string | null
  /** Epoch milliseconds; from then on nothing begins on the page any more. */
  readonly expiresAt: number
  /** In the sandbox, where it leads to a provider's own test page. In production every page leads to the provider's. */
  readonly leadsTo?: "provider"
}

export const hostedPageMillis = 30 * 60 * 1000

/** A provider's own page, opened for one attempt. */
export interface Checkout {
  /** The provider's name for it. */
  readonly reference: string
  /** Where the customer is sent; sealed, because who has it can pay on it. */
  readonly sealedUrl: string
  /** Epoch milliseconds; `null` where the provider names no end. */
  readonly expiresAt: number | null
  /** When its opening was sent, in epoch milliseconds; set once `sentAt` is of the step that takes the money. */
  readonly openedAt?: number
}

/** Binds a sealed checkout address to its attempt: moved to another record, it does not open. */
export const checkoutUrlContext = (attemptId: string): string => `attempt:${attemptId}:checkout-url`
