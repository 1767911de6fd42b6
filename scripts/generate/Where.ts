/** Where the code is that a new contributor asks for: the block of `docs/contributing/where.md`. Lines follow from symbols. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { code, table } from "./Markdown.ts"

const root = join(import.meta.dirname, "../..")

interface Step {
  /** What the symbol does, as the page says it. */
  readonly says: string
  readonly path: string
  readonly symbol: string
}

const step = (says: string, path: string, symbol: string): Step => ({ says, path, symbol })

const questions: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "Where is a decline decided?": [
    step(
      "A connector's table gives each of its provider's codes one of ours",
      "packages/connectors/stripe/src/Declines.ts",
      "declines"
    ),
    step("Its category, and whether it is soft", "packages/core/src/model/Decline.ts", "declineMeaning"),
    step(
      "Only a soft one lets another connection be asked",
      "packages/core/src/routing/RoutePlan.ts",
      "nothingExecuted"
    )
  ],
  "How is a refund clamped?": [
    step("To what is left of the captured amount", "packages/core/src/decide/ProposedRefund.ts", "refundTarget"),
    step("Pending refunds count as given back", "packages/core/src/model/Refund.ts", "refundableMinor"),
    step(
      "The amount is reserved before the provider is called",
      "packages/core/src/verbs/refund/ClaimRefund.ts",
      "claimRefund"
    )
  ],
  "What happens after a crash in the middle of a call?": [
    step("The payment becomes due, by its state", "packages/core/src/decide/CheckSchedule.ts", "nextCheckAt"),
    step("Its charge is recorded as unanswered", "packages/core/src/verbs/check/CheckPayment.ts", "endDeadCharge"),
    step("Then the provider is asked what it did", "packages/core/src/verbs/check/CheckPayment.ts", "checkCharge")
  ],
  "Where do I add a provider?": [
    step("`npm run new-connector <name>` creates its package", "scripts/new-connector.ts", "newConnector"),
    step("The server offers it", "packages/server/src/InstalledConnectors.ts", "over"),
    step("Its contract test calls the suite", "packages/contracts/src/connector/ConnectorSuite.ts", "connectorSuite")
  ],
  "A setting?": [
    step("A variable and a flag of the server", "packages/server/src/Settings.ts", "variables"),
    step("A field of the configuration file", "packages/configuration/src/ConfigurationFile.ts", "ConfigurationFile")
  ],
  "An event?": [
    step("Its type", "packages/core/src/model/EventType.ts", "eventTypes"),
    step("The moves that emit it", "packages/core/src/model/PaymentMachine.ts", "PaymentMachine"),
    step("The schema of its data", "packages/http/src/openapi/Webhooks.ts", "dataSchemas")
  ],
  "A page of the console?": [
    step("The page, with its path and access, in the list of its area", "packages/console/src/Console.ts", "pages"),
    step("A new area, in the header", "packages/console/src/frame/Navigation.ts", "areas"),
    step("Its endpoints", "packages/console/src/api/ConsoleApi.ts", "ConsoleApi")
  ],
  "An error?": [
    step("Its code and status", "packages/http/src/api/Errors.ts", "errorCodes"),
    step("Which failure of which operation has it", "packages/http/src/ErrorTable.ts", "errorTable")
  ],
  "A storage?": [
    step("What it provides, as one layer", "packages/core/src/ports/StorageServices.ts", "StorageServices"),
    step("Its contract test calls the suite", "packages/contracts/src/storage/StorageSuite.ts", "storageSuite"),
    step("The server opens it", "packages/server/src/StorageLayer.ts", "storageLayer")
  ],
  "A format of reports?": [
    step("Its columns, and how a record becomes a row", "packages/reconcile/src/ReportFormat.ts", "DocumentedFormat"),
    step("The list of all formats", "packages/reconcile/src/formats/index.ts", "reportFormats")
  ]
}

/** The line, from 1, in which a file declares a symbol for the first time. A type may follow under the same name. */
export const declaredIn = (path: string, text: string, symbol: string): number => {
  const declaration = new RegExp(`^(?:export )?(?:const|function|class|interface|type) ${symbol}\\b`, "u")
  const at = text.split("\n").findIndex((line) => declaration.test(line))
  if (at === -1) throw new Error(`${path} does not declare ${symbol}, which scripts/generate/Where.ts names`)
  return at + 1
}

const linkOf = ({ path, symbol }: Step): string => {
  const line = declaredIn(path, readFileSync(join(root, path), "utf8"), symbol)
  return `${code(symbol)}, [${path}:${line}](../../${path}#L${line})`
}

export const whereTable = (): string =>
  table(
    ["Question", "Answer", "Where"],
    Object.entries(questions).flatMap(([question, steps]) =>
      steps.map((one, at) => [at === 0 ? question : "", one.says, linkOf(one)])
    )
  )
