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
    case "lookup authorized":
    case "lookup captured":
    case "operation lookup confirmed":
    case "refund lookup succeeded":
      return {}
    case "charge declined":
    case "lookup declined":
      return charge === undefined ? undefined : { charge }
    case "charge pending":
      return { charge: "pending" }
    case "charge needs customer":
    case "lookup needs customer":
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
    case "lookup canceled":
      return { charge: "pending", lookup: "not_executed" }
    case "lookup not found":
      return { charge: "no_answer", lookup: "not_executed" }
    case "operation lookup not found":
      return { capture: "no_answer", void: "no_answer", lookup: "not_executed" }
    case "refund lookup failed":
      return { refund: "pending", lookup: "not_executed" }
    case "refund lookup not found":
      return { refund: "no_answer", lookup: "not_executed" }
    case "lookup unanswered":
    case "operation lookup unanswered":
    case "refund lookup unanswered":
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
  "lookup not sent",
  "operation lookup not sent",
  "refund lookup not sent",
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
  "operation lookup pending",
  "operation lookup failed",
  "operation lookup failed for now",
  "operation lookup not found yet",
  // What is pending is settled by its first lookup, and what was never received is known for certain.
  "charge canceled",
  "lookup pending",
  "lookup not found yet",
  "refund lookup pending",
  "refund lookup not found yet"
]

connectorSuite({
  name: "sandbox",
  definition: SandboxConnector.make(SandboxRecords.memory()),
  credentials: {},
  secrets: [],
  account: { is: { id: "sandbox_memory", mode: "test" } },
  brokenCredentials: [
    {
      credentials: { apiKey: "made-up" },
      field: "credentials.apiKey: expected {}; the simulator has no credentials"
    }
  ],
  play: (situation) => {
    const simulation = simulationOf(situation)
    return simulation === undefined ? undefined : { simulation }
  },
  lacks
})
