/** House and garden. */
import { list, type StockCategory } from "./stock.ts";

const wood = { name: "color", values: list("walnut, natural oak, espresso, white, charcoal, rustic brown, black") };
const cloth = {
  name: "color",
  values: list("ivory, slate grey, navy blue, sage green, rust, mustard, blush, charcoal"),
};

export const garden: StockCategory = {
  category: "garden",
  brands: list(
    "Thornbury, Hearth & Elm, Millrace, Copperleaf, Stonegate, Willow Bend, Larkhouse, Oakmere, Brambleside, Penrose, Fallow, Gatewick",
  ),
  types: [
    {
      noun: "coffee table",
      article: "a",
      path: ["Home & Kitchen", "Furniture", "Living Room", "Tables"],
      price: [60, 380],
      attributes: list(
        "solid wood, easy assembly, storage drawer, lift top, tempered glass, steel frame, scratch resistant, open shelf, mid century, round edge, water resistant, adjustable feet",
      ),
      options: [wood, { name: "size", values: list("36 inch, 40 inch, 43 inch, 47 inch, 52 inch") }],
      extras: list("Lounge Furniture, Cocktail Stand, Centre Piece, Sofa Companion"),
      uses: list("small apartments, family lounges, reception rooms, board game nights"),
    },
    {
      noun: "throw pillow covers",
      article: "some",
      path: ["Home & Kitchen", "Bedding", "Decorative", "Pillow Covers"],
      price: [8, 48],
      attributes: list(
        "machine washable, hidden zipper, double sided, super soft, fade resistant, woven texture, faux linen, exquisite workmanship, piped edge, tassel corners, thick fabric, pet friendly",
      ),
      options: [
        cloth,
        { name: "size", values: list("12 x 20, 16 x 16, 18 x 18, 20 x 20, 24 x 24") },
        { name: "set size", values: list("set of 1, set of 2, set of 4, set of 6") },
      ],
      extras: list("Cushion Cases, Sofa Decor, Couch Cases, Bed Decor"),
      uses: list("sofas, reading nooks, patio chairs, guest beds"),
    },
    {
      noun: "area rug",
      article: "an",
      path: ["Home & Kitchen", "Decor", "Floor", "Rugs"],
      price: [35, 320],
      attributes: list(
        "non slip backing, machine washable, stain resistant, easy clean, super soft, low pile, high traffic, hand tufted, pet friendly, fade resistant, jute blend, sound absorbing",
      ),
      options: [cloth, { name: "size", values: list("3 x 5 ft, 4 x 6 ft, 5 x 8 ft, 6 x 9 ft, 8 x 10 ft, 9 x 12 ft") }],
      extras: list("Floor Carpet, Bedroom Mat, Hallway Carpet, Lounge Mat"),
      uses: list("living rooms, nurseries, hallways, dining corners"),
    },
    {
      noun: "led desk lamp",
      article: "an",
      path: ["Home & Kitchen", "Lighting", "Lamps", "Desk Lamps"],
      price: [16, 110],
      attributes: list(
        "dimmable light, eye caring, touch control, clamp base, wireless charging, memory function, adjustable arm, energy saving, sleep timer, usb port, foldable frame, battery powered",
      ),
      options: [
        { name: "color", values: list("black, white, silver, gold, olive") },
        { name: "size", values: list("mini, regular, tall, double head") },
      ],
      extras: list("Reading Light, Office Lighting, Study Light, Workbench Light"),
      uses: list("late night study, craft tables, small desks, bedside reading"),
    },
    {
      noun: "storage basket",
      article: "a",
      path: ["Home & Kitchen", "Storage", "Organizers", "Baskets"],
      price: [9, 70],
      attributes: list(
        "hand woven, space saving, carry handles, lid included, collapsible sides, water resistant, cotton rope, cedar wood, stackable shape, label holder, odour resistant, reinforced base",
      ),
      options: [
        cloth,
        { name: "size", values: list("small, medium, large, x-large, jumbo") },
        { name: "set size", values: list("set of 1, set of 2, set of 3") },
      ],
      extras: list("Laundry Bin, Blanket Holder, Toy Bin, Shelf Organizer"),
      uses: list("toys, laundry, blankets, wardrobe shelves"),
    },
    {
      noun: "window curtains",
      article: "some",
      path: ["Home & Kitchen", "Decor", "Window", "Curtains"],
      price: [15, 120],
      attributes: list(
        "blackout lining, thermal insulated, machine washable, rod pocket, grommet top, noise reducing, easy care, sheer weave, energy saving, wrinkle resistant, printed pattern, tie backs included",
      ),
      options: [cloth, { name: "size", values: list("42 x 63, 42 x 84, 52 x 63, 52 x 84, 52 x 96, 52 x 108") }],
      extras: list("Drapes Panels, Room Darkening Panels, Bedroom Drapes, Panel Pair"),
      uses: list("bright bedrooms, home cinemas, draughty windows, nurseries"),
    },
    {
      noun: "dining chairs",
      article: "some",
      path: ["Home & Kitchen", "Furniture", "Dining Room", "Chairs"],
      price: [70, 400],
      attributes: list(
        "faux leather, solid wood, easy assembly, high back, stackable shape, steel frame, lumbar support, button tufted, mid century, easy clean, swivel seat, non marking feet",
      ),
      options: [cloth, { name: "set size", values: list("set of 2, set of 4, set of 6, set of 8") }],
      extras: list("Kitchen Seating, Side Seating, Bistro Seating, Armless Seating"),
      uses: list("family dinners, breakfast bars, cafes, home offices"),
    },
    {
      noun: "garden planter",
      article: "a",
      path: ["Home & Kitchen", "Garden", "Pots", "Planters"],
      price: [10, 95],
      attributes: list(
        "drainage hole, frost proof, self watering, uv resistant, saucer included, light weight, terracotta clay, easy clean, raised feet, hanging chain, recycled plastic, rust proof",
      ),
      options: [
        { name: "color", values: list("terracotta, white, black, slate grey, teal, sand") },
        { name: "size", values: list("6 inch, 8 inch, 10 inch, 12 inch, 15 inch, 18 inch") },
        { name: "set size", values: list("set of 1, set of 2, set of 3, set of 5") },
      ],
      extras: list("Flower Pot, Herb Pot, Patio Pot, Balcony Box"),
      uses: list("herbs, balcony flowers, small trees, window sills"),
    },
  ],
};
