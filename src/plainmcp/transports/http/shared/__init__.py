"""What only several processes with a store need: one session served by all of them. Loaded if there is a `store=`.

`sessions/shared` gives them to the endpoint. `local_sessions` and `session` have what is shared, and `replica`
reads and writes the store, with the modules `store_…`.
"""

__all__: list[str] = []
