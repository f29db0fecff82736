"""A library of its own: type hints to JSON Schema, JSON to arguments that fit, values to what a type declares.

Knows types, schemas, data and policies. Of MCP it knows only which classes are content: `returns` asks types and
foreign/ for them, because a return hint that allows content has no schema.

- A function becomes a `signature`, with its `docstring`; a hint becomes a tree of `nodes` in `type_tree`,
  by `hints`, `generics`, `records` and `formats`; types of pydantic stay with `pydantic` and `core_schemas`.
- A tree becomes a schema in `node_schema`, which `hint_schema` tidies; `generate` makes the schema of
  arguments of it, and `returns` that of a result.
- JSON arguments are bound in `arguments`: `coercion` converts each value by msgspec alone (`native`) or by its tree
  (`conversion`), as it is or after `repair`. Problems are found and worded in `explain`, `matching`, `keywords`,
  `wording` and `coercion_errors`.
- A returned value is cut to its type by the `shapes` that `conform` compiles; its JSON is checked in `output_check`,
  by `validator` if need be; where a hint allows content, `fit` checks the value.
"""

__all__: list[str] = []
