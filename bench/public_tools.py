"""The two tools of the public benchmark that read, what they read, and how it comes into Redis. Knows no server."""

import asyncio
import json
import os
from collections.abc import Awaitable
from typing import Any, cast

import httpx
import redis.asyncio

__all__ = ["ANSWERS", "CALLS", "FOUND", "TOOLS", "fill_redis"]

FOUND = 2_251
"""How many products a search finds, of which ten are sent."""
CATEGORY, USER, POPULAR = "Electronics", "user-00042", "bench:popular"
CALLS: dict[str, dict[str, Any]] = {
    "search_products": {"category": CATEGORY, "min_price": 50.0, "max_price": 500.0, "limit": 10},
    "get_user_cart": {"user_id": USER},
}
"""The arguments of a call of each tool."""


def _product(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "sku": f"SKU-{number:06d}",
        "name": f"Alpha {CATEGORY} Item {number}",
        "category": CATEGORY,
        "brand": "Alpha",
        "price": 50 + number / 100,
        "stock": number % 500,
        "rating": 1 + number % 40 / 10,
        "tags": ["sale", "new", "featured"],
        "weight": 0.5,
        "description": f"A product of the category {CATEGORY}, made by Alpha, with the number {number}.",
    }


ANSWERS: dict[str, Any] = {
    "/products/search": {"category": CATEGORY, "total_found": FOUND, "products": [*map(_product, range(1, 11))]},
    "/products/7": _product(7),
}
"""What the HTTP service answers, by path."""


def fill_redis(url: str) -> None:
    """Write the cart, the orders and the popular products into a Redis."""
    items = [{"product_id": 7, "quantity": 2}, {"product_id": 9, "quantity": 1}]
    with redis.Redis.from_url(url) as store:
        store.zadd(POPULAR, {f"product:{number}": 100 - number for number in range(1, 51)})
        store.hset(f"bench:cart:{USER}", mapping={"items": json.dumps(items), "total": "150.23"})
        orders = [{"order_id": f"ORD-{number}", "items": items, "ts": 1_700_000_000 + number} for number in range(10)]
        store.rpush(f"bench:history:{USER}", *map(json.dumps, orders))


class _Clients:
    """The connections to both services, opened in the event loop of the first call."""

    def __init__(self) -> None:
        self.http = httpx.AsyncClient(base_url=os.environ["BENCH_UPSTREAM"], timeout=10)
        self.redis = redis.asyncio.Redis.from_url(os.environ["BENCH_REDIS"], decode_responses=True)


_opened: list[_Clients] = []


def _clients() -> _Clients:
    if not _opened:
        _opened.append(_Clients())
    return _opened[0]


async def search_products(category: str, min_price: float, max_price: float, limit: int) -> str:
    """Search products, with the rank of those that are popular."""
    asked = {"category": category, "min_price": min_price, "max_price": max_price, "limit": limit}
    clients = _clients()
    response, popular = await asyncio.gather(
        clients.http.get("/products/search", params=asked), clients.redis.zrevrange(POPULAR, 0, 9)
    )
    found, top = response.json(), [int(member.partition(":")[2]) for member in popular]
    ranks = {number: rank for rank, number in enumerate(top, 1)}
    kept = ("id", "sku", "name", "price", "rating")
    products = [
        {**{name: one[name] for name in kept}, "popularity_rank": ranks.get(one["id"], 0)}
        for one in found["products"]
    ]
    return json.dumps(
        {"category": category, "total_found": found["total_found"], "products": products, "top10_popular_ids": top}
    )


async def get_user_cart(user_id: str) -> str:
    """The cart of a user, with the latest orders."""
    clients = _clients()
    cart = await cast("Awaitable[dict[str, str]]", clients.redis.hgetall(f"bench:cart:{user_id}"))
    items = json.loads(cart["items"])
    orders = cast("Awaitable[list[str]]", clients.redis.lrange(f"bench:history:{user_id}", 0, 4))
    product, latest = await asyncio.gather(clients.http.get(f"/products/{items[0]['product_id']}"), orders)
    product.raise_for_status()
    known = {"items": items, "item_count": len(items), "estimated_total": float(cart["total"])}
    return json.dumps({"user_id": user_id, "cart": known, "recent_history": [*map(json.loads, latest)]})


TOOLS = (search_products, get_user_cart)
