// The tools of the public benchmark, as in public_tools.py.

import { pathToFileURL } from "node:url";

const { default: redis } = await import(pathToFileURL(`${process.argv[2]}/ioredis/built/index.js`));
const store = new redis.Redis(process.env.BENCH_REDIS);
const upstream = process.env.BENCH_UPSTREAM;
const string = { type: "string" };
const number = { type: "number" };

async function read(path) {
  const response = await fetch(upstream + path);
  return response.json();
}

async function searchProducts({ category, min_price, max_price, limit }) {
  const asked = new URLSearchParams({ category, min_price, max_price, limit });
  const [found, popular] = await Promise.all([
    read(`/products/search?${asked}`),
    store.zrevrange("bench:popular", 0, 9),
  ]);
  const top = popular.map((member) => Number(member.split(":")[1]));
  const ranks = new Map(top.map((id, index) => [id, index + 1]));
  const products = found.products.map(({ id, sku, name, price, rating }) => {
    return { id, sku, name, price, rating, popularity_rank: ranks.get(id) ?? 0 };
  });
  return JSON.stringify({ category, total_found: found.total_found, products, top10_popular_ids: top });
}

async function getUserCart({ user_id }) {
  const cart = await store.hgetall(`bench:cart:${user_id}`);
  const items = JSON.parse(cart.items);
  const [, latest] = await Promise.all([
    read(`/products/${items[0].product_id}`),
    store.lrange(`bench:history:${user_id}`, 0, 4),
  ]);
  const known = { items, item_count: items.length, estimated_total: Number(cart.total) };
  return JSON.stringify({ user_id, cart: known, recent_history: latest.map((order) => JSON.parse(order)) });
}

export const tools = {
  search_products: {
    inputSchema: {
      type: "object",
      properties: { category: string, min_price: number, max_price: number, limit: { type: "integer" } },
      required: ["category", "min_price", "max_price", "limit"],
    },
    call: searchProducts,
  },
  get_user_cart: {
    inputSchema: { type: "object", properties: { user_id: string }, required: ["user_id"] },
    call: getUserCart,
  },
};
