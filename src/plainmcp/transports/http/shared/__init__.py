"""Sessions that several processes serve, as one of them has them: their state, streams and answers for elsewhere.

`sessions/shared` gives them to the endpoint, and replicas has what the processes tell each other. Loaded if there is
a `store=`.
"""

__all__: list[str] = []
