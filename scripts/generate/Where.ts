/** Where the code is that a new contributor asks for: the block of `docs/contributing/where.md`. Lines follow from symbols. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { code, table } from "./Markdown.ts"

const root = join(import.meta.dirname, "../..")

/** What the symbol does, as the page says it, and where it is: in `packages/`, or else where it says. */
type Step = readonly [says: string, path: string, symbol: string]

const questions: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "Where is a decline decided?": [
    [
      "A connector's table gives each of its provider's codes one of ours",
      "connectors/stripe/src/Declines.ts",
      "declines"
    ],
    ["Its category, and whether it is soft", "core/src/model/Decline.ts", "declineMeaning"],
    ["Only a soft one lets another connection be asked", "core/src/routing/RoutePlan.ts", "nothingExecuted"]
  ],
  "How is a refund clamped?": [
    ["To what is left of the captured amount", "core/src/decide/ProposedRefund.ts", "refundTarget"],
    ["Pending refunds count as given back", "core/src/model/Payment.ts", "refundableMinor"],
    ["The amount is reserved before the provider is called", "core/src/verbs/refund/ClaimRefund.ts", "claimRefund"]
  ],
  "What happens after a crash in the middle of a call?": [
    ["The payment becomes due, by its state", "core/src/decide/CheckSchedule.ts", "nextCheckAt"],
    ["Its charge is recorded as unanswered", "core/src/verbs/check/CheckPayment.ts", "endDeadCharge"],
    ["Then the provider is asked what it did", "core/src/verbs/check/CheckPayment.ts", "checkCharge"]
  ],
  "Where do I add a provider?": [
    ["`npm run new-connector <name>` creates its package", "scripts/new-connector.ts", "newConnector"],
    ["The server offers it", "server/src/InstalledConnectors.ts", "over"],
    ["Its contract test calls the suite", "contracts/src/connector/ConnectorSuite.ts", "connectorSuite"]
  ],
  "A setting?": [
    ["A variable and a flag of the server", "server/src/Settings.ts", "variables"],
    ["A field of the configuration file", "configuration/src/ConfigurationFile.ts", "ConfigurationFile"]
  ],
  "An event?": [
    ["Its type", "core/src/model/EventType.ts", "eventTypes"],
    ["The moves that emit it", "core/src/model/PaymentMachine.ts", "PaymentMachine"],
    ["The schema of its data", "http/src/openapi/Webhooks.ts", "dataSchemas"]
  ],
  "A page of the console?": [
    ["The page, with its path and access, in the list of its area", "console/src/Console.ts", "pages"],
    ["A new area, in the header", "console/src/frame/Navigation.ts", "areas"],
    ["Its endpoints", "console/src/api/ConsoleApi.ts", "ConsoleApi"]
  ],
  "An error?": [
    ["Its code and status", "http/src/api/Errors.ts", "errorCodes"],
    ["Which failure of which operation has it", "http/src/ErrorTable.ts", "errorTable"]
  ],
  "A storage?": [
    ["What it provides, as one layer", "core/src/ports/StorageServices.ts", "StorageServices"],
    ["Its contract test calls the suite", "contracts/src/storage/StorageSuite.ts", "storageSuite"],
    ["The server opens it", "server/src/StorageLayer.ts", "storageLayer"]
  ],
  "A format of reports?": [
    ["Its columns, and how a record becomes a row", "reconcile/src/ReportFormat.ts", "DocumentedFormat"],
    ["The list of all formats", "reconcile/src/formats/index.ts", "reportFormats"]
  ]
}

/** The line, from 1, in which a file declares a symbol for the first time. A type may follow under the same name. */
export const declaredIn = (path: string, text: string, symbol: string): number => {
  const declaration = new RegExp(`^(?:export )?(?:const|function|class|interface|type) ${symbol}\\b`, "u")
  const at = text.split("\n").findIndex((line) => declaration.test(line))
  if (at === -1) throw new Error(`${path} does not declare ${symbol}, which scripts/generate/Where.ts names`)
  return at + 1
}

const linkOf = ([, place, symbol]: Step): string => {
  const path = place.startsWith("scripts/") ? place : `packages/${place}`
  const line = declaredIn(path, readFileSync(join(root, path), "utf8"), symbol)
  return `${code(symbol)}, [${path}:${line}](../../${path}#L${line})`
}

export const whereTable = (): string =>
  table(
    ["Question", "Answer", "Where"],
    Object.entries(questions).flatMap(([question, steps]) =>
      steps.map((one, at) => [at === 0 ? question : "", one[0], linkOf(one)])
    )
  )
