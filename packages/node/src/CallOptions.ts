/** Which workspace and environment a call is about. */
import type { Environment } from "./Payment.ts"

/** Whose payment it is, if it differs from the defaults of `createPointsman`. */
export interface CallOptions {
  readonly workspace?: string | undefined
  readonly environment?: Environment | undefined
}
