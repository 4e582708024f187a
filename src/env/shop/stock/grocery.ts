/** Food and drink. */
import { list, type StockCategory } from "./stock.ts";

const pack = { name: "pack", values: list("pack of 1, pack of 2, pack of 3, pack of 4, pack of 6, pack of 12") };

export const grocery: StockCategory = {
  category: "grocery",
  brands: list(
    "Barrow Farm, Goldfinch, Tuckerby, Sunday Acre, Orchard Nine, Peak & Meadow, Little Larder, Cressbrook, Amity Mills, Fig & Fern, Plainfield, Saffron Road",
  ),
  types: [
    {
      noun: "green tea bags",
      article: "some",
      path: ["Grocery & Gourmet Food", "Beverages", "Tea", "Tea Bags"],
      price: [4, 32],
      attributes: list(
        "caffeine free, fair trade, certified organic, non gmo, sugar free, individually wrapped, plastic free, antioxidant rich, single origin, hand picked, kosher certified, gluten free",
      ),
      options: [
        { name: "flavor", values: list("jasmine, lemon ginger, mint, plain sencha, peach, honey, toasted rice") },
        { name: "size", values: list("20 count, 40 count, 80 count, 100 count") },
        pack,
      ],
      extras: list("Loose Brew, Hot Drink, Iced Brew, Breakfast Brew"),
      uses: list("slow mornings, iced drinks, quiet evenings, office breaks"),
    },
    {
      noun: "ground coffee",
      article: "some",
      path: ["Grocery & Gourmet Food", "Beverages", "Coffee", "Ground"],
      price: [6, 45],
      attributes: list(
        "low acid, fair trade, certified organic, single origin, small batch, non gmo, kosher certified, shade grown, naturally decaffeinated, resealable bag, water processed, gluten free",
      ),
      options: [
        { name: "roast", values: list("light roast, medium roast, dark roast, espresso roast, french roast") },
        { name: "size", values: list("8 ounce, 12 ounce, 1 pound, 2 pound, 5 pound") },
        pack,
      ],
      extras: list("Breakfast Blend, House Blend, Filter Blend, Cold Brew Blend"),
      uses: list("drip machines, french presses, cold brew, camp stoves"),
    },
    {
      noun: "protein bars",
      article: "some",
      path: ["Grocery & Gourmet Food", "Snacks", "Bars", "Protein"],
      price: [10, 48],
      attributes: list(
        "gluten free, dairy free, soy free, keto friendly, low sugar, high fiber, plant based, non gmo, no artificial flavors, grass fed whey, individually wrapped, nut free",
      ),
      options: [
        {
          name: "flavor",
          values: list(
            "peanut butter, dark chocolate, cookie dough, sea salt caramel, lemon zest, raspberry, mint chip",
          ),
        },
        { name: "size", values: list("6 count, 12 count, 18 count, 24 count") },
      ],
      extras: list("Energy Snack, Meal Replacement, Gym Snack, Breakfast Snack"),
      uses: list("the gym bag, busy mornings, long hikes, afternoon hunger"),
    },
    {
      noun: "olive oil",
      article: "some",
      path: ["Grocery & Gourmet Food", "Pantry", "Oils", "Olive"],
      price: [8, 60],
      attributes: list(
        "cold pressed, extra virgin, certified organic, non gmo, single estate, early harvest, unfiltered press, kosher certified, first press, dark glass bottle, keto friendly, chemical free",
      ),
      options: [
        { name: "flavor", values: list("mild, robust, garlic, basil, chili, truffle, oregano") },
        { name: "size", values: list("8.5 ounce, 17 ounce, 25 ounce, 34 ounce, 1 gallon") },
        pack,
      ],
      extras: list("Cooking Oil, Salad Dressing, Finishing Oil, Kitchen Staple"),
      uses: list("salads, roasting, dipping bread, gift baskets"),
    },
    {
      noun: "trail mix",
      article: "some",
      path: ["Grocery & Gourmet Food", "Snacks", "Nuts", "Trail Mix"],
      price: [6, 42],
      attributes: list(
        "gluten free, non gmo, no added sugar, lightly salted, resealable bag, high protein, plant based, dry roasted, certified organic, kosher certified, dairy free, individually wrapped",
      ),
      options: [
        {
          name: "flavor",
          values: list("tropical fruit, mountain berry, spicy cajun, dark chocolate, omega seed, honey nut"),
        },
        { name: "size", values: list("6 ounce, 12 ounce, 24 ounce, 36 ounce") },
        pack,
      ],
      extras: list("Nut Snack, Hiking Snack, Office Snack, Fruit And Nut Blend"),
      uses: list("hikes, lunch boxes, road trips, desk drawers"),
    },
    {
      noun: "hot sauce",
      article: "a",
      path: ["Grocery & Gourmet Food", "Pantry", "Sauces", "Hot Sauce"],
      price: [4, 30],
      attributes: list(
        "sugar free, gluten free, no preservatives, small batch, wood smoked, barrel aged, non gmo, keto friendly, low sodium, plant based, kosher certified, hand crafted",
      ),
      options: [
        { name: "flavor", values: list("habanero mango, chipotle, ghost pepper, jalapeno lime, garlic, cayenne") },
        { name: "heat", values: list("mild heat, medium heat, extra hot, extreme") },
        pack,
      ],
      extras: list("Pepper Sauce, Wing Sauce, Taco Topping, Chili Condiment"),
      uses: list("tacos, eggs, chicken wings, brave friends"),
    },
    {
      noun: "breakfast granola",
      article: "some",
      path: ["Grocery & Gourmet Food", "Breakfast", "Cereal", "Granola"],
      price: [5, 34],
      attributes: list(
        "gluten free, low sugar, high fiber, non gmo, whole grain, nut free, plant based, certified organic, oven baked, no artificial flavors, resealable bag, keto friendly",
      ),
      options: [
        {
          name: "flavor",
          values: list("maple pecan, vanilla almond, cocoa, cinnamon raisin, coconut, mixed berry, pumpkin seed"),
        },
        { name: "size", values: list("8 ounce, 12 ounce, 16 ounce, 32 ounce") },
        pack,
      ],
      extras: list("Oat Clusters, Cereal Topping, Yogurt Topping, Crunchy Oats"),
      uses: list("yogurt bowls, camping breakfasts, snacks by the handful, busy mornings"),
    },
    {
      noun: "dried pasta",
      article: "some",
      path: ["Grocery & Gourmet Food", "Pantry", "Pasta", "Dried"],
      price: [3, 28],
      attributes: list(
        "gluten free, bronze cut, whole wheat, high protein, certified organic, slow dried, egg free, non gmo, low carb, kosher certified, stone milled, quick cooking",
      ),
      options: [
        { name: "shape", values: list("penne, spaghetti, fusilli, rigatoni, farfalle, linguine, orzo") },
        { name: "size", values: list("8 ounce, 12 ounce, 16 ounce, 24 ounce") },
        pack,
      ],
      extras: list("Italian Noodles, Dinner Staple, Semolina Noodles, Pantry Pack"),
      uses: list("weeknight dinners, salads, hearty bakes, big families"),
    },
  ],
};
