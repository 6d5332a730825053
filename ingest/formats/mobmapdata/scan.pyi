from collections.abc import Mapping

made_of: str

class Scan:
    remainder: bytes

class Digests(Scan):
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
        locations: Mapping[bytes, bytes],
        zones: Mapping[bytes, bytes],
        names: Mapping[bytes, bytes],
        records: tuple[bytes, ...],
        longest: int,
        /,
    ) -> None: ...

class Columns(Scan):
    loots: bytearray
    items: bytes
    mobs: bytearray
    mob_names: list[str]
    zones: bytearray
    xy: bytes
    def __init__(
        self,
        document: bytes,
        version: int,
        no: int,
        mob: int,
        sources: Mapping[bytes, int],
        locations: Mapping[bytes, int],
        zone_numbers: Mapping[bytes, int],
        names: Mapping[bytes, str],
        /,
    ) -> None: ...
