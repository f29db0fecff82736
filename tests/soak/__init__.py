"""Many operations on a set of replicas while one is killed and Redis is restarted, and a checker of the history."""
