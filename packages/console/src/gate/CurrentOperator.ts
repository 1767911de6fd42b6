import type { SignedIn } from "@pointsman/core/ports"
import { Context } from "effect"

/** Who sends the request. */
export class CurrentOperator extends Context.Service<CurrentOperator, SignedIn>()(
  "pointsman/console/CurrentOperator"
) {}
