import type { Transport } from "@pointsman/core/ports"
import { Effect } from "effect"

/** For code that only reads and checks: a request to a provider would be a bug. */
export const sendsNothing: Transport["Service"] = { send: () => Effect.die("nothing is sent from here") }
