from collections.abc import Mapping

source_digest: str

class Scan:
    rest: bytes
    digests: bytes
    mobs: int
    positions: int
    lootings: int
    sound: bool
    def __init__(
        self,
        document: bytes,
        version: int,
        begins: Mapping[bytes, bytes],
        places: Mapping[bytes, bytes],
        zones: Mapping[bytes, bytes],
        names: Mapping[bytes, bytes],
        records: tuple[bytes, ...],
        longest: int,
    ) -> None: ...
