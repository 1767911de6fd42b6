/** What the methods of the door run with: the services, and the settings of this instance. */
import type { Context } from "effect"
import type { Mac, SecureRandom } from "effect/crypto"
import type { Accounts } from "../call/Accounts.ts"
import type { LookUps } from "../call/LookUps.ts"
import type { OpenConnections } from "../call/OpenConnections.ts"
import type { Background } from "../commit/Background.ts"
import type { Turns } from "../commit/Turns.ts"
import type { DeliveryWake } from "../commit/WakeDelivery.ts"
import type { Connectors } from "../ports/Connector.ts"
import type { Ids } from "../ports/Ids.ts"
import type { Secrets } from "../ports/Secrets.ts"
import type { StorageServices } from "../ports/StorageServices.ts"
import type { Circuits } from "../routing/run/Circuits.ts"
import type { LearnedRates } from "../routing/run/LearnedRates.ts"
import type { KeyUses } from "../verbs/administer/KeyUses.ts"

export type DoorServices =
  | StorageServices
  | DeliveryWake
  | Mac.Mac
  | Turns
  | Background
  | Connectors
  | Secrets
  | Ids
  | Circuits
  | LookUps
  | Accounts
  | LearnedRates
  | KeyUses
  | OpenConnections
  | SecureRandom.SecureRandom

export type DoorContext = Context.Context<DoorServices>
