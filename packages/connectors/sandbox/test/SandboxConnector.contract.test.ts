import { connectorSuite, type Situation, type SituationName } from "@pointsman/contracts/connector"
import type { Simulation } from "@pointsman/core/connector"
import { SandboxConnector, SandboxRecords } from "../src/index.ts"

/** The simulator's instruction for each situation; it lacks the situations that are not listed. */
const simulations: Partial<Record<SituationName, Simulation>> = {
  "charge authorized": {},
  "charge captured": {},
  "charge pending": { charge: "pending" },
  "charge needs customer": { charge: "requires_authentication" },
  "charge rejected": { charge: "technical_error" },
  "charge unanswered": { charge: "no_answer" },
  "capture captured": {},
  "capture rejected": { capture: "refuse" },
  "capture unanswered": { capture: "no_answer" },
  "void canceled": {},
  "void rejected": { void: "refuse" },
  "void unanswered": { void: "no_answer" },
  "refund succeeded": {},
  "refund pending": { refund: "pending" },
  "refund rejected": { refund: "refuse" },
  "refund unanswered": { refund: "no_answer" },
  "lookup authorized": {},
  "lookup captured": {},
  "lookup needs customer": { charge: "requires_authentication" },
  "lookup canceled": { charge: "pending", lookup: "not_executed" },
  "lookup not found": { charge: "no_answer", lookup: "not_executed" },
  "lookup unanswered": { lookup: "no_answer" },
  "operation lookup confirmed": {},
  "operation lookup not found": { capture: "no_answer", void: "no_answer", lookup: "not_executed" },
  "operation lookup unanswered": { lookup: "no_answer" },
  "refund lookup succeeded": {},
  "refund lookup failed": { refund: "pending", lookup: "not_executed" },
  "refund lookup not found": { refund: "no_answer", lookup: "not_executed" },
  "refund lookup unanswered": { lookup: "no_answer" }
}

const simulationOf = ({ decline, name }: Situation): Simulation | undefined =>
  decline === null
    ? simulations[name]
    : name === "charge declined" || name === "lookup declined"
      ? { charge: `${decline.soft ? "soft_" : ""}decline:${decline.category}` }
      : undefined

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
