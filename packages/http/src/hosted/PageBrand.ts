/**
 * How a workspace's brand shows on its pages. Its fields are checked with the configuration. They are checked again
 * here, because they go into the style, the policy and links: what another writer stored and does not fit is left out.
 */
import type { Brand } from "@pointsman/core"
import { type Html, html } from "./Html.ts"
import type { Reader } from "./Reader.ts"

export interface PageBrand {
  readonly icon: string
  /** Beside the common style. */
  readonly style: string | undefined
  /** Where the policy lets images come from, beside the page itself. */
  readonly imagesFrom: string | undefined
  readonly header: Html | undefined
  readonly footer: Html | undefined
}

/** `merchant`: the name that customers know, beside a logo that does not load. */
export const pageBrandOf = (brand: Brand | null, merchant: string, reader: Reader): PageBrand => {
  const { color, logo, support, terms } = brand ?? {}
  const isColor = color !== undefined && /^#[\da-f]{6}$/iu.test(color)
  const isDataLogo = logo?.startsWith("data:image/") === true
  const logoUrl = isDataLogo ? undefined : webUrl(logo)
  const source = isDataLogo ? logo : logoUrl?.href
  const links = [
    link(support?.startsWith("mailto:") === true ? support : webUrl(support)?.href, reader.texts.support),
    link(webUrl(terms)?.href, reader.texts.terms)
  ].filter((one) => one !== undefined)
  return {
    icon: isColor ? iconIn(color) : productIcon,
    style: isColor ? styleOf(color) : undefined,
    imagesFrom: logoUrl?.origin,
    header: source === undefined ? undefined : html`<img class="logo" src="${source}" alt="${merchant}">`,
    footer: links.length === 0 ? undefined : html`<footer>${links}</footer>`
  }
}

const link = (href: string | undefined, text: string): Html | undefined =>
  href === undefined ? undefined : html`<a href="${href}">${text}</a>`

/** The host cannot end a directive of the policy, as a `;` would. */
const webUrl = (text: string | undefined): URL | undefined => {
  const url = text === undefined ? null : URL.parse(text)
  return url !== null && /^https:\/\/(?:[a-z\d._-]+|\[[\da-f:]+\])(?::\d+)?$/u.test(url.origin) ? url : undefined
}

/** White text on the brand's color; in the dark the color may be near the card's, so that the edge is the usual one. */
const styleOf = (color: string): string =>
  `:root { --main: ${color}; --main-over: ${darker(color)}; --main-edge: ${color}; --on-main: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --main-edge: var(--edge); } }`

const darker = (color: string): string =>
  `#${[1, 3, 5]
    .map((at) => Math.round(Number.parseInt(color.slice(at, at + 2), 16) * 0.85))
    .map((channel) => channel.toString(16).padStart(2, "0"))
    .join("")}`

/** A card, for tabs and bookmarks. It is inside the page, so that the browser sends no request for it. */
const iconIn = (color: string): string => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><rect x="6" y="9" width="20" height="14" rx="2.5" fill="#fff"/><path d="M6 13h20v3H6z" fill="${color}"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** Of pages without a brand. */
export const productIcon = iconIn("#2252cf")
