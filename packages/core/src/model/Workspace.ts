import type { FourEyes } from "./FourEyes.ts"
import type { RetentionTimes } from "./RetentionTimes.ts"

/** How a workspace presents itself to customers on its hosted pages. Absent fields have defaults there. */
export interface Brand {
  /** Shown instead of the workspace's name. */
  readonly name?: string
  /** An https URL, or a `data:` URL of an image. */
  readonly logo?: string
  /** Of the main button: `#` and six hexadecimal digits, on which white text can be read. */
  readonly color?: string
  /** An https or mailto URL at which customers get help. */
  readonly support?: string
  /** An https URL. */
  readonly terms?: string
}

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
  readonly brand?: Brand
  /** Where it is set, sandbox pages lead to the provider's own test page instead of showing buttons. */
  readonly hostedPage?: "provider"
  /** Where it differs from the defaults (`retentionOf`). */
  readonly retention?: Partial<RetentionTimes>
  /** From which amounts on a second person approves what an operator states; absent where one is enough. */
  readonly fourEyes?: FourEyes
}
