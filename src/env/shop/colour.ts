/**
 * Reduces a colour name to its first basic colour, in the order of this list: "light blue" is "blue", since "blue"
 * stands before "light". Substrings count, as in the original: "tanned oak" is "tan".
 *
 * The words and their order are those WebShop compares by; another order would give other scores.
 */
const COLOURS = `
  alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo
  caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal
  dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory
  ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom
  mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire
  seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white
  wine yellow
`
  .trim()
  .split(/\s+/);

/** A text that holds no colour is returned as it is. */
export function reduceColour(text: string): string {
  return COLOURS.find((colour) => text.includes(colour)) ?? text;
}

/**
 * A pair of option name and value as the original compares it. Its test "is this colour in it" asks a pair for a
 * member, not for a substring: only a name or value that is exactly a colour is reduced, any other pair is compared
 * as the words of both.
 */
export function reduceColourPair(name: string, value: string): string {
  return COLOURS.find((colour) => colour === name || colour === value) ?? `${name} ${value}`;
}
