"""What the processes of one server tell each other through a store: changes, answers, and that they are alive.

A replica is one process of a server with a store. Knows no HTTP: who has sessions gives it entries, and gets those of
others. docs/topics/replicas.md tells how it works as a whole.
"""

__all__: list[str] = []
