/** Whose account a connection's credentials open. */

/** A record that is looked up in another account settles nothing. Two are the same account where both fields are equal. */
export interface ProviderAccount {
  /** The provider's stable id, of the sub-account if requests are for one; 1 to 255 characters, no name, no secret. */
  readonly id: string
  /** `null` where the provider has no modes, or the id tells them apart. */
  readonly mode: "test" | "live" | null
}

/** What is recorded of a connection's account. */
export interface ConnectionAccount {
  /** As the provider named it first: attempts that were recorded without an account are at this one. */
  readonly first: ProviderAccount
  /** As the provider named it last. */
  readonly current: ProviderAccount
  /**
   * Since when the connection takes no new payments, because its credentials opened another account: epoch milliseconds.
   * `null` where they never did. It stays, also when they open the first account again.
   */
  readonly changedAt: number | null
}

/** What is recorded once the provider named an account. */
export const withStatedAccount = (
  known: ConnectionAccount | undefined,
  stated: ProviderAccount,
  at: number
): ConnectionAccount => {
  const { id, mode } = stated
  const current = { id, mode }
  if (known === undefined) return { first: current, current, changedAt: null }
  return { ...known, current, changedAt: known.changedAt ?? (isSameAccount(known.first, current) ? null : at) }
}

export const isSameAccount = (one: ProviderAccount, other: ProviderAccount): boolean =>
  one.id === other.id && one.mode === other.mode

/** For people. */
export const accountText = ({ id, mode }: ProviderAccount): string => (mode === null ? id : `${id} (${mode})`)
