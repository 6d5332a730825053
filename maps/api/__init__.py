"""The read API: `/api/v1/<locale>/…`, described in `maps/api/openapi.yaml`."""
