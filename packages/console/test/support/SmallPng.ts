/** A screenshot in a third of its size: with a palette of its 256 most frequent colors, since the docs are downloaded whole. */
import { crc32, deflateSync, inflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Of a PNG as Chromium writes it: 8 bits for each of red, green and blue, not interlaced. */
export const smallPng = (png: Buffer): Buffer => {
  const { colors, height, width } = colorsOf(png)
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const ranked = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color)
  const palette = ranked.slice(0, 256)
  const indexes = new Map(ranked.map((color, rank) => [color, rank < 256 ? rank : nearest(palette, color)]))
  const rows = Buffer.alloc((width + 1) * height)
  colors.forEach((color, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(color) ?? 0
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(channels))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const channels = (color: number): [number, number, number] => [color >> 16, (color >> 8) & 255, color & 255]

const nearest = (palette: ReadonlyArray<number>, color: number): number => {
  const wanted = channels(color)
  const distances = palette.map((one) =>
    channels(one).reduce((sum, channel, at) => sum + (channel - (wanted[at] ?? 0)) ** 2, 0)
  )
  return distances.indexOf(Math.min(...distances))
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/** Its pixels, each as one number. */
const colorsOf = (png: Buffer) => {
  const data: Array<Buffer> = []
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") {
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    }
  }
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  if (png[24] !== 8 || png[25] !== 2) throw new Error("The screenshot is no PNG of 8 bits for each of three channels.")
  const filtered = inflateSync(Buffer.concat(data))
  const line = width * 3
  const bytes = Buffer.alloc(line * height)
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (line + 1)]
    for (let x = 0; x < line; x++) {
      const at = row * line + x
      const left = x < 3 ? 0 : (bytes[at - 3] ?? 0)
      const up = bytes[at - line] ?? 0
      const upLeft = x < 3 ? 0 : (bytes[at - line - 3] ?? 0)
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter ?? 0] ?? 0
      bytes[at] = (filtered[row * (line + 1) + 1 + x] ?? 0) + predicted
    }
  }
  const colors = Uint32Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * 3, 3))
  return { colors, height, width }
}

/** The fourth filter of PNG: which of the three neighbors their plane is nearest to. */
const paeth = (left: number, up: number, upLeft: number): number => {
  const plane = left + up - upLeft
  const [toLeft, toUp, toUpLeft] = [left, up, upLeft].map((one) => Math.abs(plane - one)) as [number, number, number]
  return toLeft <= toUp && toLeft <= toUpLeft ? left : toUp <= toUpLeft ? up : upLeft
}
