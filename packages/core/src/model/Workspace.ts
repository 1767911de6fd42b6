export interface Workspace {
  readonly id: string
  readonly name: string
  /** ISO 3166-1 alpha-2 country in which the merchant is registered; `null` when unknown. */
  readonly country: string | null
  /** The merchant's category, matched against a connection's `blockedCategories`. */
  readonly category: string | null
  /** A suspended workspace is refused by the API; what is in flight goes on. */
  readonly suspended: boolean
  /** Set for white-label partners: how many sub-merchants they may provision. */
  readonly partner: { readonly allowance: number } | null
}
