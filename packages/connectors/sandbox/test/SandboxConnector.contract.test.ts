import { connectorSuite, type Situation, type SituationName } from "@pointsman/contracts/connector"
import type { Simulation } from "@pointsman/core/connector"
import { SandboxConnector, SandboxRecords } from "../src/index.ts"

/** The simulator's instruction for each situation; it lacks the situations that are not listed. */
const simulationOf = ({ name, decline }: Situation): Simulation | undefined => {
  const charge = decline === null ? undefined : (`${decline.soft ? "soft_" : ""}decline:${decline.category}` as const)
  switch (name) {
    case "charge authorized":
    case "charge captured":
    case "capture captured":
    case "void canceled":
    case "refund succeeded":
    case "look-up authorized":
    case "look-up captured":
    case "operation look-up confirmed":
    case "refund look-up succeeded":
      return {}
    case "charge declined":
    case "look-up declined":
      return charge === undefined ? undefined : { charge }
    case "charge pending":
      return { charge: "pending" }
    case "charge needs customer":
    case "look-up needs customer":
      return { charge: "requires_authentication" }
    case "charge rejected":
      return { charge: "technical_error" }
    case "charge unanswered":
      return { charge: "no_answer" }
    case "capture rejected":
      return { capture: "refuse" }
    case "capture unanswered":
      return { capture: "no_answer" }
    case "void rejected":
      return { void: "refuse" }
    case "void unanswered":
      return { void: "no_answer" }
    case "refund pending":
      return { refund: "pending" }
    case "refund rejected":
      return { refund: "refuse" }
    case "refund unanswered":
      return { refund: "no_answer" }
    case "look-up canceled":
      return { charge: "pending", lookup: "not_executed" }
    case "look-up not found":
      return { charge: "no_answer", lookup: "not_executed" }
    case "operation look-up not found":
      return { capture: "no_answer", void: "no_answer", lookup: "not_executed" }
    case "refund look-up failed":
      return { refund: "pending", lookup: "not_executed" }
    case "refund look-up not found":
      return { refund: "no_answer", lookup: "not_executed" }
    case "look-up unanswered":
    case "operation look-up unanswered":
    case "refund look-up unanswered":
      return { lookup: "no_answer" }
    default:
      return undefined
  }
}

const lacks: ReadonlyArray<SituationName> = [
  // There is no wire that could fail before the request is out.
  "charge not sent",
  "capture not sent",
  "void not sent",
  "refund not sent",
  "look-up not sent",
  "operation look-up not sent",
  "refund look-up not sent",
  // Captures and voids are done or refused at once, by `Rejected`.
  "capture pending",
  "capture still authorized",
  "capture declined",
  "capture canceled",
  "void pending",
  "void still authorized",
  "void declined",
  "void captured",
  "refund failed",
  "operation look-up pending",
  "operation look-up failed",
  "operation look-up failed for now",
  "operation look-up not found yet",
  // What is pending is settled by its first look-up, and what was never received is known for certain.
  "charge canceled",
  "look-up pending",
  "look-up not found yet",
  "refund look-up pending",
  "refund look-up not found yet"
]

connectorSuite({
  name: "sandbox",
  definition: SandboxConnector.make(SandboxRecords.memory()),
  credentials: {},
  secrets: [],
  account: { is: { id: "sandbox_memory", mode: "test" } },
  brokenCredentials: [{ credentials: { apiKey: "made-up" }, field: "apiKey" }],
  play: (situation) => {
    const simulation = simulationOf(situation)
    return simulation === undefined ? undefined : { simulation }
  },
  lacks
})
