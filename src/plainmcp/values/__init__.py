"""A library of its own: any Python value to JSON, to content, and to the result of a tool, a resource or a prompt.

- `families` recognises classes with fields; `rules` chooses how values of a class become JSON; `encode` does it,
  directly or by `walk`; `unpack` opens a level.
- `content` recognises content; `payload` makes content and structured data of a value; `render` makes texts of data.
- `tool_result`, `resource_result` and `prompt_result` make results; `normalize` is their public form.
"""

__all__: list[str] = []
