/** The console's areas in their groups, and the links to those that the operator may see. */
import { type Environment, environments, type Operator, type Workspace } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type Access, isAllowed } from "../gate/Access.ts"
import { CurrentOperator, directoryContents, type TenantPath } from "../gate/Caller.ts"

const { html } = InProcess
type Html = InProcess.Html

/** In the order of the navigation. */
const groups = ["Payments", "Money", "Routing", "Developers", "Settings"] as const
type Group = (typeof groups)[number]

interface Area {
  readonly name: string
  readonly group: Group
  /** What its first page takes. */
  readonly access: Access
  /** Whether its pages are about one environment of one workspace. The others are about the whole installation. */
  readonly isOfEnvironment: boolean
  /** Whether a role in one workspace leads to it, although its first page is about the whole installation. */
  readonly isOfAnyWorkspace?: boolean
}

/** In the order of the links. The key is the first part of the path. */
export const areas = {
  day: { name: "Today", group: "Payments", access: "payment.read", isOfEnvironment: true },
  payments: { name: "Payments", group: "Payments", access: "payment.read", isOfEnvironment: true },
  reviews: { name: "Reviews", group: "Payments", access: "review.resolve", isOfEnvironment: true },
  disputes: { name: "Disputes", group: "Payments", access: "payment.read", isOfEnvironment: true },
  reconciliation: { name: "Reconciliation", group: "Money", access: "reconciliation.read", isOfEnvironment: true },
  books: { name: "Books", group: "Money", access: "reconciliation.read", isOfEnvironment: true },
  messages: { name: "Messages", group: "Developers", access: "message.apply", isOfEnvironment: true },
  webhooks: { name: "Webhooks", group: "Developers", access: "payment.read", isOfEnvironment: true },
  routing: { name: "Routing", group: "Routing", access: "routing.read", isOfEnvironment: true },
  connections: { name: "Connections", group: "Routing", access: "connection.read", isOfEnvironment: true },
  keys: { name: "Keys", group: "Developers", access: "key.manage", isOfEnvironment: true },
  partners: { name: "Partners", group: "Settings", access: "usage.read", isOfEnvironment: false },
  operators: { name: "Operators", group: "Settings", access: "operator.manage", isOfEnvironment: false },
  audit: { name: "Audit", group: "Settings", access: "audit.read", isOfEnvironment: false, isOfAnyWorkspace: true }
} as const satisfies Readonly<Record<string, Area>>

export type AreaName = keyof typeof areas
export type EnvironmentArea = {
  [Name in AreaName]: (typeof areas)[Name]["isOfEnvironment"] extends true ? Name : never
}[AreaName]

export const areaNames = Object.keys(areas) as ReadonlyArray<AreaName>
export const environmentAreas = areaNames.filter((name): name is EnvironmentArea => areas[name].isOfEnvironment)

/** What is around a page. */
export interface Frame {
  readonly operator: Operator
  readonly workspaces: ReadonlyArray<Workspace>
  readonly area: AreaName | undefined
  readonly tenant: TenantPath | undefined
}

interface Place {
  readonly name: string
  readonly workspace: string
  readonly environment: Environment
}

const placesIn = (operator: Operator, workspaces: ReadonlyArray<Workspace>, access: Access): ReadonlyArray<Place> =>
  workspaces
    .filter(({ id }) => isAllowed(operator, access, id))
    .flatMap(({ id: workspace, name }) => environments.map((environment) => ({ name, workspace, environment })))

/** Where the operator may do it. */
export const places = Effect.fnUntraced(function* (access: Access) {
  const { operator } = yield* CurrentOperator
  const { workspaces } = yield* directoryContents
  return placesIn(operator, workspaces, access)
})

const pathIn = (mount: string, area: AreaName, tenant: TenantPath | undefined): string =>
  tenant === undefined || !areas[area].isOfEnvironment
    ? `${mount}/${area}`
    : `${mount}/${area}/${encodeURIComponent(tenant.workspace)}/${tenant.environment}`

const current = (isCurrent: boolean): Html | undefined => (isCurrent ? html` aria-current="page"` : undefined)

const maySee = ({ operator, workspaces }: Frame, name: AreaName): boolean => {
  const { access, isOfAnyWorkspace = false, isOfEnvironment }: Area = areas[name]
  return isOfEnvironment || isOfAnyWorkspace
    ? workspaces.some(({ id }) => isAllowed(operator, access, id))
    : isAllowed(operator, access, undefined)
}

export interface AreaGroup {
  readonly name: Group
  /** Of links. */
  readonly list: Html
}

/** The groups of which the operator may see an area. */
export const areaGroups = (frame: Frame, mount: string): ReadonlyArray<AreaGroup> => {
  const { area, operator, tenant } = frame
  const link = (name: AreaName): Html => {
    const isThere = tenant !== undefined && isAllowed(operator, areas[name].access, tenant.workspace)
    return html`<li><a href="${pathIn(mount, name, isThere ? tenant : undefined)}"${current(name === area)}>${areas[name].name}</a></li>`
  }
  return groups.flatMap((group) => {
    const names = areaNames.filter((name) => areas[name].group === group && maySee(frame, name))
    return names.length === 0 ? [] : [{ name: group, list: html`<ul>${names.map(link)}</ul>` }]
  })
}

/** More than these are a list to choose from. */
const mostLinks = 6
/** More than these are typed: each page would have a megabyte of 10,000 workspaces. */
const mostOptions = 500

/** The same area in other environments and workspaces. */
export const placeLinks = ({ area, operator, tenant, workspaces }: Frame, mount: string): Html | undefined => {
  if (area === undefined || tenant === undefined) return undefined
  const places = placesIn(operator, workspaces, areas[area].access)
  const isHere = ({ environment, workspace }: Place) =>
    workspace === tenant.workspace && environment === tenant.environment
  if (places.length > mostLinks) {
    const choice =
      places.length > mostOptions
        ? html`<input name="to" aria-label="Id of a workspace, and environment" value="${tenant.workspace} ${tenant.environment}" autocomplete="off" spellcheck="false">`
        : html`<select name="to" aria-label="Workspace and environment">${places.map(
            (place) =>
              html`<option value="${place.workspace} ${place.environment}"${isHere(place) ? html` selected` : undefined}>${place.name}, ${place.environment}</option>`
          )}</select>`
    return html`<form action="${mount}/go" class="fields" aria-label="Workspaces"><input type="hidden" name="area" value="${area}">
${choice}<button>Go</button></form>`
  }
  return html`<nav aria-label="Workspaces" class="fields places">${places.map(
    (place) =>
      html`<a href="${pathIn(mount, area, place)}"${current(isHere(place))}>${place.name}, ${place.environment}</a>`
  )}</nav>`
}

/**
 * A page of an area under the mount: nothing that leads elsewhere, and nothing that signs out. It has to be written as a
 * URL parser writes it: `..` would lead out of the mount, and other characters than ASCII cannot be in a header.
 */
export const isAreaPath = (text: string): boolean => {
  const url = URL.parse(text, "http://console")
  const [, name] = /^\/([a-z]+)(?:[/?]|$)/u.exec(text) ?? []
  return url !== null && `${url.pathname}${url.search}` === text && areaNames.some((one) => one === name)
}

/** Where the list of workspaces leads. */
export const pathOfChoice = (query: URLSearchParams): string => {
  const area = areaNames.find((name) => name === query.get("area")) ?? "payments"
  const [workspace = "", text = ""] = (query.get("to") ?? "").split(" ")
  const environment = environments.find((one) => one === text)
  return pathIn("", area, environment === undefined ? undefined : { workspace, environment })
}
