/** What is generated, by path. A page of another kind is one more entry here. */
import { statusOf } from "@pointsman/core"
import {
  ClaimMachine,
  DeliveryMachine,
  DisputeMachine,
  type Machine,
  PaymentMachine,
  RefundMachine,
  SubmissionMachine
} from "@pointsman/core/internal"
import { chartOf } from "../auto-routing/Chart.ts"
import { feeBlocksOf } from "../auto-routing/FeeFigures.ts"
import { simulateFees } from "../auto-routing/FeeRuns.ts"
import { blocksOf } from "../auto-routing/Figures.ts"
import { simulate } from "../auto-routing/Runs.ts"
import { apiPage } from "./Api.ts"
import { withBlocks } from "./Blocks.ts"
import { clientTypes, clientTypesPath } from "./ClientTypes.ts"
import { commandsInFull, commandsList, sharedOptionsTable } from "./Commands.ts"
import { configurationFilePage } from "./ConfigurationFile.ts"
import { crashMatrixInMemory, crashMatrixPath, crashMatrixSnapshot } from "./CrashMatrix.ts"
import { crashPicture, crashPicturePath } from "./CrashPicture.ts"
import { declinesPage, declinesPath } from "./Declines.ts"
import { errorsPage } from "./Errors.ts"
import { eventsPage } from "./Events.ts"
import { evidencePath, evidenceSnapshot } from "./Evidence.ts"
import { finalsOf, otherwiseOf, pictureOf, rowsOf, statusesOf } from "./Lifecycle.ts"
import { nextStepsPage } from "./NextSteps.ts"
import { onePaymentEnds, onePaymentPath, onePaymentPicture, onePaymentPicturePath } from "./OnePayment.ts"
import { packagesPicture } from "./PackagesPicture.ts"
import { paymentMethodsPage, paymentMethodsPath } from "./PaymentMethods.ts"
import { measuredChart, measuredSections } from "./Performance.ts"
import { providerAnswers } from "./ProviderAnswers.ts"
import { reportFormatsPage, reportFormatsPath } from "./ReportFormats.ts"
import { settingsPage } from "./Settings.ts"
import { whereTable } from "./Where.ts"

type Table = Machine.Machine<string, string, string, string>

const notice = (source: string) =>
  `<!-- Generated from ${source} by \`npm run generate\`. Change the table, not this page. -->`

interface Lifecycle {
  readonly machine: Table
  readonly title: string
  /** Where the table is. */
  readonly source: string
  readonly about: string
  /** What the API shows of each state, where it shows them. */
  readonly statusOf?: Readonly<Record<string, string>>
}

const lifecycles: ReadonlyArray<Lifecycle> = [
  {
    machine: PaymentMachine,
    title: "The life of a payment",
    source: "packages/core/src/model/PaymentMachine.ts",
    about:
      "The inner states are finer than the statuses of the API: they say which operation is in flight or unknown. No row leads from an unknown state back to `Charging`.",
    statusOf
  },
  {
    machine: RefundMachine,
    title: "The life of a refund",
    source: "packages/core/src/model/RefundMachine.ts",
    about:
      "A refund is an entry of its payment's refund ledger: `Sending`, `Pending` and `Unknown` are in `refund_pending_amount`, `Succeeded` in `refunded_amount`. What a confirmed refund does to its payment is in [the life of a payment](payment.md)."
  },
  {
    machine: DisputeMachine,
    title: "The life of a dispute",
    source: "packages/core/src/model/DisputeMachine.ts",
    about:
      "A dispute is made and moved by what its provider states, and by what the provider answers to evidence and acceptances. What it does to its payment is in [the life of a payment](payment.md)."
  },
  {
    machine: SubmissionMachine,
    title: "The life of a submission",
    source: "packages/core/src/model/DisputeMachine.ts",
    about:
      "A submission of evidence, or an acceptance, is written before the provider is asked. No row leads from `Unknown` back to `Sending`: an unknown result is looked up."
  },
  {
    machine: ClaimMachine,
    title: "The life of an idempotency key",
    source: "packages/core/src/model/ClaimMachine.ts",
    about: "A claim is written before the provider is asked, and answered in the commit that records the outcome."
  },
  {
    machine: DeliveryMachine,
    title: "The life of a delivery",
    source: "packages/core/src/model/DeliveryMachine.ts",
    about:
      "A delivery is one event on its way to one webhook endpoint. It is written in the commit of its event, and taken by lease before it is sent."
  }
]

const lifecyclePage = ({ machine, title, source, about, statusOf }: Lifecycle): string =>
  [
    notice(source),
    `# ${title}`,
    about,
    `![${title}, drawn](${machine.name}.svg)`,
    ...(statusOf === undefined ? [] : ["## States", statusesOf(machine, statusOf)]),
    "## Moves",
    finalsOf(machine).length === 0 ? "No state is final." : `Nothing leads out of ${finalsOf(machine).join(", ")}.`,
    rowsOf(machine),
    "## Facts that find no row",
    "`Ignored` means that the fact is stored with its source and changes nothing.",
    otherwiseOf(machine)
  ].join("\n\n")

/** Pages of `docs/reference` by their name, with where their tables are. */
const tables: Readonly<Record<string, readonly [page: (notice: string) => string, source: string]>> = {
  errors: [errorsPage, "packages/http/src/api/Errors.ts and packages/http/src/ErrorTable.ts"],
  api: [apiPage, "packages/http/src/api"],
  events: [eventsPage, "packages/core/src/model/EventType.ts and packages/http/src/openapi/Webhooks.ts"],
  settings: [settingsPage, "packages/server/src/Settings.ts"],
  "configuration-file": [configurationFilePage, "packages/configuration/src/ConfigurationFile.ts"],
  "next-steps": [nextStepsPage, "packages/core/src/routing/RoutePlan.ts"]
}

/** Whole files, by their path from the root. */
export const pages = async (): Promise<ReadonlyArray<readonly [path: string, text: string]>> => {
  const made = await Promise.all(
    lifecycles.map(async (lifecycle) => [
      [`docs/states/${lifecycle.machine.name}.md`, `${lifecyclePage(lifecycle)}\n`] as const,
      [`docs/states/${lifecycle.machine.name}.svg`, await pictureOf(lifecycle.machine, lifecycle.statusOf)] as const
    ])
  )
  return [
    ...made.flat(),
    ...Object.entries(tables).map(
      ([name, [page, source]]) => [`docs/reference/${name}.md`, `${page(notice(source))}\n`] as const
    ),
    ["docs/concepts/packages.svg", await packagesPicture()],
    [evidencePath, evidenceSnapshot()],
    [declinesPath, declinesPage()],
    [paymentMethodsPath, paymentMethodsPage()],
    ...(await providerAnswers()),
    [reportFormatsPath, reportFormatsPage()],
    [clientTypesPath, clientTypes()],
    ["docs/performance.svg", measuredChart()]
  ]
}

const autoRoutingPath = "docs/concepts/auto-routing.md"

/** What takes seconds to make, because something is run for it. */
export const slowPaths: ReadonlyArray<string> = [
  crashMatrixPath,
  crashPicturePath,
  onePaymentPath,
  onePaymentPicturePath,
  autoRoutingPath,
  "docs/concepts/auto-routing.svg"
]

/** Those files, whole. `read`: a file as it is, whose blocks are to be filled. */
export const slowPages = async (
  read: (path: string) => string | undefined
): Promise<ReadonlyArray<readonly [path: string, text: string]>> => {
  const results = simulate()
  const cells = await crashMatrixInMemory()
  const withBlocksOf = (path: string, made: Parameters<typeof withBlocks>[2]) => {
    const page = withBlocks(path, read(path) ?? "", made)
    if (page === undefined) throw new Error(`${path} has no generated block`)
    return page
  }
  return [
    [crashMatrixPath, crashMatrixSnapshot(cells)],
    [crashPicturePath, crashPicture(cells)],
    [onePaymentPath, withBlocksOf(onePaymentPath, { "one-payment-ends": () => onePaymentEnds(cells) })],
    [onePaymentPicturePath, onePaymentPicture(cells)],
    [autoRoutingPath, withBlocksOf(autoRoutingPath, { ...blocksOf(results), ...feeBlocksOf(simulateFees()) })],
    ["docs/concepts/auto-routing.svg", chartOf(results)]
  ]
}

/** Blocks that a page may hold, by name. */
export const blocks = (): Readonly<Record<string, () => string>> =>
  Object.fromEntries([
    ...lifecycles.flatMap(({ machine, statusOf }) => [
      [`${machine.name}-moves`, () => rowsOf(machine)] as const,
      ...(statusOf === undefined ? [] : [[`${machine.name}-statuses`, () => statusesOf(machine, statusOf)] as const])
    ]),
    ["commands-list", commandsList] as const,
    ["shared-options", sharedOptionsTable] as const,
    ["commands-in-full", commandsInFull] as const,
    ["where", whereTable] as const,
    ["measured", measuredSections] as const
  ])
