/** Clothes and shoes. */
import { list, type StockCategory } from "./stock.ts";

const color = {
  name: "color",
  values: list("black, white, navy blue, dark green, burgundy, light grey, khaki, rose pink, mustard, royal blue"),
};
const shirtSize = { name: "size", values: list("x-small, small, medium, large, x-large, xx-large") };
const shoeSize = { name: "size", values: list("6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 11, 12") };
const fit = { name: "fit type", values: list("men, women, youth") };

export const fashion: StockCategory = {
  category: "fashion",
  brands: list(
    "Harrow & Vale, Tidewell, Northbank, Calla Row, Brindle, Osterley, Fernhurst, Kestrel Lane, Ridgeway, Amberline, Solway, Marlow Pike",
  ),
  types: [
    {
      noun: "running shoes",
      article: "a pair of",
      path: ["Clothing, Shoes & Jewelry", "Shoes", "Athletic", "Running"],
      price: [35, 140],
      attributes: list(
        "slip resistant, memory foam, arch support, lace up, breathable mesh, shock absorbing, wide toe box, reflective trim, quick drying, rubber sole, carbon plated, recycled upper",
      ),
      options: [color, shoeSize],
      extras: list("Road Trainers, Jogging Sneakers, Daily Trainers, Gym Sneakers"),
      uses: list("long road miles, treadmill sessions, early morning jogs, standing all day at work"),
    },
    {
      noun: "rain jacket",
      article: "a",
      path: ["Clothing, Shoes & Jewelry", "Outerwear", "Jackets", "Rainwear"],
      price: [30, 160],
      attributes: list(
        "fully waterproof, wind proof, adjustable hood, zip pockets, machine washable, light to pack, taped seams, fleece lined, two way zipper, elastic cuffs, ventilated back, long sleeve",
      ),
      options: [color, shirtSize, fit],
      extras: list("Hooded Shell, Packable Anorak, Hiking Coat, Windbreaker"),
      uses: list("wet commutes, hill walks, festival weekends, cycling to work"),
    },
    {
      noun: "t shirt",
      article: "a",
      path: ["Clothing, Shoes & Jewelry", "Tops", "Shirts", "Tees"],
      price: [9, 45],
      attributes: list(
        "pure cotton, heavyweight jersey, short sleeve, crew neck, tagless collar, pre shrunk, moisture wicking, organic fibre, relaxed cut, hand dyed, stretch knit, machine washable",
      ),
      options: [color, shirtSize, fit],
      extras: list("Everyday Tee, Basic Top, Graphic Tee, Undershirt"),
      uses: list("layering under a jacket, lazy weekends, training, casual office days"),
    },
    {
      noun: "yoga leggings",
      article: "a pair of",
      path: ["Clothing, Shoes & Jewelry", "Active", "Bottoms", "Leggings"],
      price: [18, 90],
      attributes: list(
        "high waist, squat proof, tummy control, four way stretch, side pockets, quick drying, seamless knit, moisture wicking, ankle length, brushed inside, flat seams, fade resistant",
      ),
      options: [color, shirtSize],
      extras: list("Workout Tights, Gym Pants, Studio Tights, Training Bottoms"),
      uses: list("hot yoga, weight training, pilates class, running errands"),
    },
    {
      noun: "leather belt",
      article: "a",
      path: ["Clothing, Shoes & Jewelry", "Accessories", "Belts", "Dress Belts"],
      price: [15, 80],
      attributes: list(
        "full grain, nickel free, reversible strap, hand stitched, ratchet buckle, gift boxed, vegetable tanned, broad strap, scratch resistant, removable buckle, embossed pattern, trim to fit",
      ),
      options: [
        { name: "color", values: list("black, dark brown, tan, cognac, burgundy, navy blue, charcoal grey") },
        { name: "size", values: list("30 inch, 32 inch, 34 inch, 36 inch, 38 inch, 40 inch, 42 inch") },
      ],
      extras: list("Dress Strap, Jeans Strap, Office Accessory, Gift Set"),
      uses: list("suits, jeans, a smart office look, a gift that lasts"),
    },
    {
      noun: "ankle socks",
      article: "some",
      path: ["Clothing, Shoes & Jewelry", "Accessories", "Socks", "Low Cut"],
      price: [6, 30],
      attributes: list(
        "cushioned heel, arch support, odour resistant, merino blend, non slip grip, seamless toe, breathable mesh, machine washable, reinforced heel, bamboo fibre, stay up cuff, padded sole",
      ),
      options: [
        color,
        { name: "size", values: list("small, medium, large, x-large") },
        { name: "pack size", values: list("3 pairs, 6 pairs, 8 pairs, 12 pairs") },
      ],
      extras: list("No Show Liners, Sports Footwear, Running Liners, Everyday Multipack"),
      uses: list("trainers, hiking boots, warm weather, long shifts"),
    },
    {
      noun: "wool scarf",
      article: "a",
      path: ["Clothing, Shoes & Jewelry", "Accessories", "Scarves", "Winter Scarves"],
      price: [14, 95],
      attributes: list(
        "extra long, hand woven, itch free, fringed edge, cable knit, double layer, dry clean only, brushed finish, checked pattern, lambswool blend, oversized wrap, gift boxed",
      ),
      options: [color, { name: "style", values: list("plain, striped, paisley, houndstooth, colour block") }],
      extras: list("Winter Wrap, Knitted Shawl, Neck Warmer, Blanket Wrap"),
      uses: list("frosty mornings, winter travel, outdoor matches, cool evenings"),
    },
    {
      noun: "hiking boots",
      article: "a pair of",
      path: ["Clothing, Shoes & Jewelry", "Shoes", "Outdoor", "Hiking"],
      price: [55, 210],
      attributes: list(
        "fully waterproof, ankle support, slip resistant, steel shank, rubber sole, lace up, insulated lining, wide toe box, suede leather, gusseted tongue, shock absorbing, resoleable welt",
      ),
      options: [color, shoeSize, { name: "width", values: list("narrow, regular, wide, extra wide") }],
      extras: list("Trekking Footwear, Mountain Shoes, Trail Footwear, Backpacking Shoes"),
      uses: list("rocky trails, muddy fields, multi day treks, winter walks"),
    },
  ],
};
