/** Hair, skin, teeth and scent. */
import { list, type StockCategory } from "./stock.ts";

const bottle = { name: "size", values: list("2 fl oz, 4 fl oz, 8 fl oz, 12 fl oz, 16 fl oz, 32 fl oz") };
const scent = {
  name: "scent",
  values: list("unscented, vanilla bean, eucalyptus, citrus peel, cedarwood, green tea, jasmine, coconut milk"),
};
const pack = { name: "pack", values: list("pack of 1, pack of 2, pack of 3, pack of 6") };

export const beauty: StockCategory = {
  category: "beauty",
  brands: list(
    "Lumora, Petal & Stone, Wrenfield, Aurelle, Kindroot, Saltmarsh, Verity Blue, Moss & Clay, Halden, Oatly Grove, Pearlwick, Dewpoint",
  ),
  types: [
    {
      noun: "hair shampoo",
      article: "a",
      path: ["Beauty & Personal Care", "Hair Care", "Cleansing", "Shampoo"],
      price: [6, 38],
      attributes: list(
        "sulfate free, paraben free, cruelty free, colour safe, tear free, anti dandruff, argan oil, tea tree oil, for oily hair, for curly hair, plant based, volume boosting",
      ),
      options: [bottle, scent, pack],
      extras: list("Daily Wash, Salon Cleanser, Scalp Wash, Hydrating Cleanser"),
      uses: list("daily washing, dyed hair, dry scalps, the whole family"),
    },
    {
      noun: "face moisturizer",
      article: "a",
      path: ["Beauty & Personal Care", "Skin Care", "Face", "Moisturizers"],
      price: [9, 70],
      attributes: list(
        "fragrance free, oil free, hyaluronic acid, vitamin c, sun protection, for sensitive skin, for dry skin, cruelty free, non greasy, dermatologist tested, anti aging, alcohol free",
      ),
      options: [{ name: "size", values: list("1 fl oz, 1.7 fl oz, 3 fl oz, 4 fl oz, 6 fl oz") }, scent],
      extras: list("Day Cream, Night Cream, Gel Lotion, Hydrating Lotion"),
      uses: list("use under makeup, winter skin, overnight repair, sunny days"),
    },
    {
      noun: "lip balm",
      article: "a",
      path: ["Beauty & Personal Care", "Skin Care", "Lips", "Balms"],
      price: [3, 22],
      attributes: list(
        "long lasting, cruelty free, shea butter, beeswax free, tinted finish, sun protection, fragrance free, plant based, for chapped lips, paraben free, high shine, vitamin e",
      ),
      options: [
        { name: "flavor", values: list("watermelon, wild cherry, honey, vanilla, mango, pomegranate, plain") },
        pack,
      ],
      extras: list("Lip Care Stick, Lip Butter, Lip Salve, Repair Stick"),
      uses: list("windy days, ski trips, everyday care, a handbag or pocket"),
    },
    {
      noun: "makeup brush set",
      article: "a",
      path: ["Beauty & Personal Care", "Makeup", "Tools", "Brushes"],
      price: [8, 60],
      attributes: list(
        "synthetic bristles, cruelty free, easy clean, travel pouch, bamboo handle, dense bristles, eye shadow, vegan friendly, non shedding, double ended, magnetic case, ergonomic grip",
      ),
      options: [
        { name: "color", values: list("black, rose gold, white, purple, teal, champagne") },
        { name: "set size", values: list("8 pieces, 10 pieces, 12 pieces, 15 pieces, 20 pieces") },
      ],
      extras: list("Cosmetic Applicators, Beauty Tools, Vanity Kit, Starter Kit"),
      uses: list("beginners, blending powders, stage makeup, travel bags"),
    },
    {
      noun: "electric toothbrush",
      article: "an",
      path: ["Beauty & Personal Care", "Oral Care", "Toothbrushes", "Powered"],
      price: [18, 130],
      attributes: list(
        "rechargeable battery, pressure sensor, two minute timer, for sensitive gums, travel case, soft bristles, teeth whitening, quiet motor, water resistant, long lasting, pairs by bluetooth, deep cleaning",
      ),
      options: [
        { name: "color", values: list("white, black, rose pink, navy blue, mint green, lavender") },
        { name: "brush heads", values: list("2 heads, 4 heads, 6 heads, 8 heads") },
      ],
      extras: list("Sonic Cleaner, Oral Care Kit, Rotating Cleaner, Dental Kit"),
      uses: list("plaque removal, braces, travelling couples, tender gums"),
    },
    {
      noun: "nail polish",
      article: "some",
      path: ["Beauty & Personal Care", "Nails", "Polish", "Lacquer"],
      price: [4, 26],
      attributes: list(
        "quick drying, chip resistant, high shine, cruelty free, toxin free, glitter finish, matte finish, long lasting, gel effect, one coat, plant based, breathable formula",
      ),
      options: [
        {
          name: "color",
          values: list("ruby red, coral, nude, plum, midnight, rose, turquoise, pearl white, charcoal"),
        },
        { name: "size", values: list("0.2 fl oz, 0.3 fl oz, 0.5 fl oz") },
      ],
      extras: list("Nail Lacquer, Manicure Colour, Nail Enamel, Salon Colour"),
      uses: list("home manicures, weddings, short nails, summer toes"),
    },
    {
      noun: "body lotion",
      article: "a",
      path: ["Beauty & Personal Care", "Skin Care", "Body", "Lotions"],
      price: [6, 40],
      attributes: list(
        "fast absorbing, shea butter, paraben free, for dry skin, for sensitive skin, non greasy, cruelty free, colloidal oatmeal, aloe vera, dermatologist tested, firming care, plant based",
      ),
      options: [bottle, scent, pack],
      extras: list("Skin Milk, Body Cream, Daily Lotion, Pump Lotion"),
      uses: list("after the shower, rough elbows, itchy winter skin, daily care"),
    },
    {
      noun: "beard oil",
      article: "a",
      path: ["Beauty & Personal Care", "Shaving", "Beard", "Oils"],
      price: [7, 36],
      attributes: list(
        "argan oil, jojoba oil, cruelty free, alcohol free, non greasy, itch relief, hand blended, paraben free, growth support, dropper bottle, small batch, long lasting",
      ),
      options: [
        { name: "size", values: list("0.5 fl oz, 1 fl oz, 2 fl oz, 4 fl oz") },
        { name: "scent", values: list("fir needle, unscented, bay rum, leather, cedarwood, bergamot, pine tar") },
      ],
      extras: list("Grooming Serum, Beard Conditioner, Facial Hair Care, Gift Tin"),
      uses: list("short stubble, long beards, itchy skin, a gift for a friend"),
    },
  ],
};
