"""Objects of other packages (pydantic, numpy, pandas, PIL and more), known by module and name; none is imported."""

__all__: list[str] = []
