/** Pictures: SVG that is drawn by hand, so that a page needs nothing, and graphs that Graphviz draws. */
import { instance } from "@viz-js/viz"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const textAt = (x: number, y: number, text: string, attributes = ""): string =>
  `<text x="${x}" y="${y}"${attributes === "" ? "" : ` ${attributes}`}>${escaped(text)}</text>`

interface Size {
  readonly width: number
  readonly height: number
  /** 12 unless set. */
  readonly fontSize?: number
}

/** The title is what a screen reader says. */
export const svg = ({ fontSize = 12, height, width }: Size, title: string, drawn: ReadonlyArray<string>): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="white"/>
<g font-family="Helvetica,Arial,sans-serif" font-size="${fontSize}" fill="#0f172a">
${drawn.join("\n")}
</g>
</svg>
`

/**
 * Drawn by Graphviz (in WebAssembly): the same graph gives the same bytes on every machine. Comments and the document type
 * go, because they name Graphviz's own version and address; Graphviz gives titles to its parts alone.
 */
export const graph = async (dot: ReadonlyArray<string>, title: string): Promise<string> =>
  (await instance())
    .renderString(dot.join("\n"), { format: "svg" })
    .replace(/<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*/g, "")
    .replace(/<svg [^>]*>/, (svg) => `${svg}\n<title>${title}</title>`)
