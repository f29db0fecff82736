"""What only several processes with a store need: one session served by all of them. Loaded if there is a `store=`.

`endpoint` takes the place of the plain endpoint, `session_sharing` and `session` have what is shared, and `replica` with the
`store_…` modules reads and writes the store.
"""

__all__: list[str] = []
