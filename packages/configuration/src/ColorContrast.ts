/**
 * Whether white text can be read on a color (WCAG 2.2, success criterion 1.4.3). A color is `#` and six hex digits.
 *
 * A merchant's color on which it cannot is refused, with the nearest shade: a color that is adjusted silently is not the
 * configured one, and black text would not stand out from both grounds of the page. Merchants give no style sheets, which
 * could hide the amount or report customers to others.
 */

/** For text of normal size, level AA. */
export const contrastAtLeast = 4.5

/** WCAG's contrast ratio of white text on the color, from 1 to 21. */
export const whiteTextContrast = (color: string): number => contrastOf(channelsOf(color))

/** The lightest shade of the same hue on which white text can be read; the color itself where that is one. */
export const readableShade = (color: string): string => {
  const channels = channelsOf(color)
  for (let share = 255; share > 0; share--) {
    const shade = channels.map((channel) => Math.round((channel * share) / 255))
    if (contrastOf(shade) >= contrastAtLeast) {
      return `#${shade.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`
    }
  }
  return "#000000"
}

const channelsOf = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

const contrastOf = (channels: ReadonlyArray<number>): number => {
  const [red = 0, green = 0, blue = 0] = channels.map(linear)
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

const linear = (channel: number): number => {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
