/** Things with a plug or a battery. */
import { list, type StockCategory } from "./stock.ts";

const color = {
  name: "color",
  values: list("black, white, silver, navy blue, dark red, forest green, rose gold, graphite"),
};
const length = { name: "length", values: list("1 foot, 3 feet, 6 feet, 10 feet, 15 feet, 25 feet") };

export const electronics: StockCategory = {
  category: "electronics",
  brands: list(
    "Voltaine, Quillon, Brightwire, Nexora, Haloform, Tessel, Ampere Works, Corvid, Polaris Nine, Signalry, Murmur, Gridstone",
  ),
  types: [
    {
      noun: "bluetooth headphones",
      article: "a pair of",
      path: ["Electronics", "Audio", "Headphones", "Over Ear"],
      price: [25, 240],
      attributes: list(
        "noise cancelling, hands free, long battery life, foldable frame, fast charging, memory foam pads, deep bass, water resistant, voice assistant, multipoint pairing, carrying case, low latency",
      ),
      options: [color, { name: "style", values: list("regular, with microphone, with hard shell, studio edition") }],
      extras: list("Wireless Headset, Stereo Headset, Audio Headset, Travel Headset"),
      uses: list("long flights, video calls, gaming nights, the daily train"),
    },
    {
      noun: "charging cable",
      article: "a",
      path: ["Electronics", "Accessories", "Cables", "Chargers"],
      price: [5, 34],
      attributes: list(
        "fast charging, nylon braided, tangle free, high speed data, gold plated, right angle, certified safe, heat resistant, magnetic tip, extra thick, data transfer, reinforced ends",
      ),
      options: [color, length, { name: "pack", values: list("1 pack, 2 pack, 3 pack, 5 pack") }],
      extras: list("Phone Cord, Tablet Cord, Charger Lead, Power Lead"),
      uses: list("cars, bedside tables, office desks, travel bags"),
    },
    {
      noun: "portable speaker",
      article: "a",
      path: ["Electronics", "Audio", "Speakers", "Portable"],
      price: [18, 190],
      attributes: list(
        "fully waterproof, stereo pairing, long battery life, hands free, deep bass, light show, shock proof, dust proof, fast charging, built in microphone, carry strap, floats in water",
      ),
      options: [color, { name: "size", values: list("mini, compact, medium, large, party size") }],
      extras: list("Wireless Boombox, Outdoor Sound System, Shower Radio, Party Box"),
      uses: list("pool parties, camping, small kitchens, beach days"),
    },
    {
      noun: "security camera",
      article: "a",
      path: ["Electronics", "Home Security", "Cameras", "Surveillance"],
      price: [22, 220],
      attributes: list(
        "night vision, motion detection, two way audio, weather proof, easy install, cloud storage, local storage, wide angle lens, solar powered, battery powered, colour recording, face recognition",
      ),
      options: [
        { name: "color", values: list("white, black, grey") },
        { name: "set size", values: list("1 camera, 2 cameras, 3 cameras, 4 cameras, 6 cameras") },
        { name: "resolution", values: list("1080p, 2k, 4k") },
      ],
      extras: list("Home Monitor, Yard Monitor, Doorway Watch, Surveillance Kit"),
      uses: list("front doors, nurseries, garages, holiday homes"),
    },
    {
      noun: "screen protector",
      article: "a",
      path: ["Electronics", "Accessories", "Phone", "Protection"],
      price: [4, 28],
      attributes: list(
        "tempered glass, case friendly, scratch resistant, anti glare, privacy tint, bubble free, finger print proof, easy install, ultra thin, edge to edge, blue light filter, impact resistant",
      ),
      options: [
        { name: "model", values: list("5.4 inch, 5.8 inch, 6.1 inch, 6.5 inch, 6.7 inch") },
        { name: "pack", values: list("1 pack, 2 pack, 3 pack, 4 pack") },
      ],
      extras: list("Display Film, Phone Shield, Glass Film, Display Guard"),
      uses: list("daily drops, bright sunlight, crowded trains, careless pockets"),
    },
    {
      noun: "power bank",
      article: "a",
      path: ["Electronics", "Accessories", "Chargers", "Portable Power"],
      price: [14, 110],
      attributes: list(
        "fast charging, ultra thin, solar powered, built in cable, airline approved, digital display, high capacity, pass through charging, wireless charging, shock proof, flash light, dual output",
      ),
      options: [color, { name: "capacity", values: list("5000 mah, 10000 mah, 15000 mah, 20000 mah, 26800 mah") }],
      extras: list("Travel Battery, Backup Battery, Phone Charger, Camping Charger"),
      uses: list("festivals, long hikes, airport waits, power cuts"),
    },
    {
      noun: "mechanical keyboard",
      article: "a",
      path: ["Electronics", "Computers", "Input", "Keyboards"],
      price: [32, 180],
      attributes: list(
        "hot swappable, back lit, wireless connection, spill resistant, aluminium frame, compact layout, quiet keys, programmable macros, detachable cable, wrist rest, anti ghosting, long battery life",
      ),
      options: [
        { name: "color", values: list("black, white, slate grey, navy blue, lavender, mint green") },
        { name: "switch", values: list("linear, tactile, clicky, silent linear, silent tactile") },
        { name: "layout", values: list("60 percent, 75 percent, tenkeyless, full size") },
      ],
      extras: list("Gaming Board, Office Board, Typing Board, Desktop Set"),
      uses: list("fast typists, late night gaming, tidy desks, programmers"),
    },
    {
      noun: "wall mount bracket",
      article: "a",
      path: ["Electronics", "Television", "Mounts", "Wall Mounts"],
      price: [16, 120],
      attributes: list(
        "heavy duty, full motion, easy install, low profile, tilt adjustable, cable management, corner mount, quick release, alloy steel, swivel arm, tool free levelling, high load",
      ),
      options: [
        { name: "color", values: list("black, silver, white") },
        { name: "size", values: list("13 to 32 inch, 26 to 55 inch, 32 to 65 inch, 42 to 80 inch, 60 to 100 inch") },
      ],
      extras: list("Television Holder, Screen Arm, Monitor Holder, Display Arm"),
      uses: list("bedrooms, meeting rooms, narrow walls, kitchens"),
    },
  ],
};
