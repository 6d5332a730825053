"""One pass over a document's bytes that takes out `Mob` and `Loot` as the addon writes them: for the door their digests,
for workers their columns. The door's check is what the web server has most to do for, and reading what workers have.

Here stand rules of `grammar` and `records` once more, in C, and at least as strict. An element that breaks one, or is
written in any other way, simply stays, for the schema and `records` to judge, or for lxml to read; for one with a name
they refuse, the whole document does. Why elements may be taken out at all is told in `usual`.

Nothing is read behind a document's end: Python puts a NUL there, which is no part of anything usual, and no sign is
looked at but behind one that is. Nothing is written behind an array's end: each has room for what a document of this
length can hold. `tests/ingest/formats/mobmapdata/test_scan_memory.py` has both watched by the compiler's sanitizers, and what is found
is held against the other way of reading by `test_usual.py` and `test_readers_agree.py`.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy

cdef extern from "blake2.h" nogil:
    ctypedef struct blake2b_state:
        pass
    int blake2b_init(blake2b_state *state, size_t size)
    int blake2b_update(blake2b_state *state, const unsigned char *data, size_t size)
    int blake2b_final(blake2b_state *state, unsigned char *digest, size_t size)

cdef extern from *:
    const char *MADE_OF

made_of = MADE_OF.decode()  # this file's digest first, see deploy/steps/compiled.py

cdef enum:
    DIGEST = 16
    MAX_PART = 250  # of a name, in bytes with escapes
    MAX_NUMBER = 2147483647
    UNKNOWN = -1  # an axis

ctypedef const char *At  # a place in the document


cdef struct Slice:
    At at
    Py_ssize_t size


# --- reading: each returns where what it reads ends, or NULL where something else stands -----------
cdef inline At past(At at, At literal) noexcept nogil:
    while literal[0]:
        if at[0] != literal[0]:
            return NULL
        at += 1
        literal += 1
    return at


cdef inline bint is_digit(char sign) noexcept nogil:
    return 48 <= sign <= 57


cdef inline At natural(At at, int64_t *value) noexcept nogil:
    """0 to 2³¹-1 without leading zeros."""
    cdef At begin = at
    value[0] = 0
    if not is_digit(at[0]):
        return NULL
    if at[0] == b"0":
        return at + 1
    while is_digit(at[0]) and at - begin < 11:
        value[0] = value[0] * 10 + at[0] - 48
        at += 1
    return at if value[0] <= MAX_NUMBER else NULL


cdef inline At integer(At at) noexcept nogil:
    cdef int64_t value
    if at[0] != b"-":
        return natural(at, &value)
    at = natural(at + 1, &value)
    return at if at and value else NULL


cdef inline At wide(At at) noexcept nogil:
    """The game's number of an instance: up to ten digits, with or without a sign."""
    cdef At begin
    if at[0] == b"0":
        return at + 1
    at += at[0] == b"-"
    begin = at
    while is_digit(at[0]) and at - begin < 10:
        at += 1
    return at if at > begin and begin[0] != b"0" else NULL


cdef inline At day(At at) noexcept nogil:
    """One to six digits of base 36."""
    cdef At begin = at
    while at - begin < 6 and (is_digit(at[0]) or b"A" <= at[0] <= b"Z" or b"a" <= at[0] <= b"z"):
        at += 1
    return at if at > begin else NULL


cdef inline At slot(At at, int version) noexcept nogil:
    """`item:suffix:unique:count[:day]#` or `copper#`."""
    cdef int64_t number
    at = natural(at, &number)
    if at and at[0] == b":" and number:
        at = integer(at + 1)
        at = wide(at + 1) if at and at[0] == b":" else NULL
        at = natural(at + 1, &number) if at and at[0] == b":" else NULL
        if at and at[0] == b":" and version == 44:
            at = day(at + 1)
    return at + 1 if at and at[0] == b"#" else NULL


cdef inline At axis(At at, int *tenths) noexcept nogil:
    """0 to 100 with at most one decimal, in tenths; or -1, which is `UNKNOWN`."""
    if at[0] == b"-":
        tenths[0] = UNKNOWN
        return past(at, b"-1")
    if not is_digit(at[0]):
        return NULL
    tenths[0] = (at[0] - 48) * 10
    at += 1
    if tenths[0] and is_digit(at[0]):
        tenths[0] = tenths[0] * 10 + (at[0] - 48) * 10
        at += 1
        if tenths[0] == 100 and at[0] == b"0":
            tenths[0] = 1000
            at += 1
    if at[0] == b"." and is_digit(at[1]):
        tenths[0] += at[1] - 48
        at += 2
    return at if tenths[0] <= 1000 else NULL


cdef inline int packed(int x, int y) noexcept nogil:
    """As `grammar.pack` does."""
    return UNKNOWN if x == UNKNOWN else x << 10 | y


cdef inline At coordinate(At at, int *xy) noexcept nogil:
    """`x/y,`, packed."""
    cdef int x = 0, y = 0
    at = axis(at, &x)
    at = axis(at + 1, &y) if at and at[0] == b"/" else NULL
    if not at or at[0] != b"," or (x == UNKNOWN) != (y == UNKNOWN):
        return NULL
    xy[0] = packed(x, y)
    return at + 1


cdef inline At part(At at, char until) noexcept nogil:
    """A part of a name: 1 to `MAX_PART` bytes, no quote among them and nothing that ends a tag or begins one."""
    cdef At begin = at
    while at[0] != until and at[0] != b'"' and at[0] != b"<" and at[0] and at - begin <= MAX_PART:
        at += 1
    return at if at[0] == until and 0 < at - begin <= MAX_PART else NULL


cdef inline At floor(At at) noexcept nogil:
    """One or two digits."""
    if not is_digit(at[0]):
        return NULL
    return at + 2 if is_digit(at[1]) else at + 1


cdef inline At level(At at, int64_t *value) noexcept nogil:
    """-1, or up to three digits without leading zeros."""
    if at[0] == b"-":
        value[0] = -1
        return past(at, b"-1")
    at = natural(at, value)
    return at if at and value[0] <= 999 else NULL


cdef inline At content(At at) noexcept nogil:
    """Text without references, up to the tag behind it."""
    while at[0] and at[0] != b"<" and at[0] != b"&":
        at += 1
    return at if at[0] == b"<" else NULL


# --- putting in order, and digests -----------------------------------------------------------------
cdef int by_bytes(const void *left, const void *right) noexcept nogil:
    cdef const Slice *one = <const Slice *>left
    cdef const Slice *other = <const Slice *>right
    cdef int order = memcmp(one.at, other.at, min(one.size, other.size))
    return order if order else (one.size > other.size) - (one.size < other.size)


cdef int by_digest(const void *left, const void *right) noexcept nogil:
    return memcmp(left, right, DIGEST)


cdef inline void sort(Slice *slices, Py_ssize_t count) noexcept nogil:
    """Order texts by their bytes; most lists have one or two."""
    cdef Slice first
    if count == 2:
        if by_bytes(slices, slices + 1) > 0:
            first = slices[0]
            slices[0] = slices[1]
            slices[1] = first
    elif count > 2:
        qsort(slices, count, sizeof(Slice), by_bytes)


cdef inline char *without_zero(char *room, At entry) noexcept:
    """Write `x/y` up to its comma, `.0` left out; returns where it ends."""
    while entry[0] != b",":
        if entry[0] == b"." and entry[1] == b"0":
            entry += 2
            continue
        room[0] = entry[0]
        room += 1
        entry += 1
    return room


cdef inline char *written(char *room, const Slice *slices, Py_ssize_t count, char sign) noexcept:
    """Write texts one after the other, a sign before each; returns where they end."""
    cdef Py_ssize_t number
    for number in range(count):
        room[0] = sign
        memcpy(room + 1, slices[number].at, slices[number].size)
        room += 1 + slices[number].size
    return room


cdef inline void begin(blake2b_state *digest) noexcept nogil:
    blake2b_init(digest, DIGEST)


cdef inline void add(blake2b_state *digest, At at, Py_ssize_t size) noexcept nogil:
    blake2b_update(digest, <const unsigned char *>at, size)


cdef inline void add_bytes(blake2b_state *digest, bytes text) noexcept:
    add(digest, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


# --- elements as the addon writes them, up to what they hold ---------------------------------------
cdef struct Loot:
    At source, source_end, place, place_end
    int xy


cdef inline At loot_head(At at, int version, Loot *loot) noexcept nogil:
    """Read `<Loot name="source#x#y#zone[#floor]">`; returns where its text begins."""
    cdef int x = 0, y = 0
    loot.source = past(at, b'<Loot name="')
    loot.source_end = part(loot.source, b"#") if loot.source else NULL
    at = axis(loot.source_end + 1, &x) if loot.source_end else NULL
    at = axis(at + 1, &y) if at and at[0] == b"#" else NULL
    if not at or at[0] != b"#" or (x == UNKNOWN) != (y == UNKNOWN):
        return NULL
    loot.xy = packed(x, y)
    loot.place = at + 1
    if version == 44:
        at = part(loot.place, b"#")
        at = floor(at + 1) if at else NULL
    else:
        at = part(loot.place, b'"')
        if at and memchr(loot.place, b"#", at - loot.place):
            return NULL  # the fields are counted from the right
    loot.place_end = at
    return past(at, b'">') if at else NULL


cdef struct Mob:
    At name, name_end, id, id_end, low, low_end, high, high_end, react, react_end, day, day_end
    int64_t id_number, low_number, high_number, react_number, day_number


cdef inline At mob_head(At at, Mob *mob) noexcept nogil:
    """Read `<Mob name="" blizzid="" min="" max="" react="" date="">`; returns where its zones begin."""
    mob.name = past(at, b'<Mob name="')
    mob.name_end = part(mob.name, b'"') if mob.name else NULL
    mob.id = past(mob.name_end, b'" blizzid="') if mob.name_end else NULL
    mob.id_end = natural(mob.id, &mob.id_number) if mob.id else NULL
    mob.low = past(mob.id_end, b'" min="') if mob.id_end and mob.id_number else NULL
    mob.low_end = level(mob.low, &mob.low_number) if mob.low else NULL
    mob.high = past(mob.low_end, b'" max="') if mob.low_end else NULL
    mob.high_end = level(mob.high, &mob.high_number) if mob.high else NULL
    mob.react = past(mob.high_end, b'" react="') if mob.high_end else NULL
    mob.react_end = natural(mob.react, &mob.react_number) if mob.react else NULL
    if not mob.react_end or not (mob.react_number <= 2 or 10 <= mob.react_number <= 12):
        return NULL
    mob.day = past(mob.react_end, b'" date="')
    mob.day_end = natural(mob.day, &mob.day_number) if mob.day else NULL
    return past(mob.day_end, b'">') if mob.day_end and mob.day_number <= 9999 else NULL


cdef struct Zone:
    At name, name_end, floor, floor_end


cdef inline At zone_head(At at, Zone *zone) noexcept nogil:
    """Read `<Zone name="" level="">`; returns where its coordinates begin."""
    zone.name = past(at, b'<Zone name="')
    zone.name_end = part(zone.name, b'"') if zone.name else NULL
    zone.floor = past(zone.name_end, b'" level="') if zone.name_end else NULL
    zone.floor_end = floor(zone.floor) if zone.floor else NULL
    return past(zone.floor_end, b'">') if zone.floor_end else NULL


# --- documents -------------------------------------------------------------------------------------
cdef class Scan:
    """Goes through a document and takes out the usual elements it can read; `rest` is what remains without them."""

    cdef readonly bytes rest
    cdef int version
    cdef char *kept
    cdef Py_ssize_t kept_size

    def __cinit__(self, bytes document not None, int version, *_):
        self.version = version
        self.kept = <char *>malloc(PyBytes_GET_SIZE(document) + 1)
        if not self.kept:
            raise MemoryError("There was no memory to read a document.")

    def __dealloc__(self):
        free(self.kept)

    cdef int run(self, bytes document) except -1:
        cdef At start = PyBytes_AS_STRING(document)
        cdef At end = start + PyBytes_GET_SIZE(document)
        cdef At kept = start  # up to where all is kept or taken out
        cdef At at = start
        cdef At behind
        while True:
            at = <At>memchr(at, b"<", end - at)
            if not at:
                break
            if at[1] == b"L":
                behind = self.loot(at)
            elif at[1] == b"M" and at[2] == b"o" and self.version == 44:
                behind = self.mob(at)
            else:
                behind = NULL
            if not behind:
                at += 1
                continue
            self.keep(kept, at)
            kept = at = behind
            if not self.may_stand(document, behind - start):
                break
        self.keep(kept, end)
        self.rest = PyBytes_FromStringAndSize(self.kept, self.kept_size)

    cdef void keep(self, At at, At end) noexcept:
        memcpy(self.kept + self.kept_size, at, end - at)
        self.kept_size += end - at

    cdef bint may_stand(self, bytes document, Py_ssize_t behind) except -1:
        """Tell whether what follows an element that was taken out lets it be one; if not, nothing more is read."""
        return True

    cdef At loot(self, At at) except? NULL:
        """Read a whole `Loot`; returns where it ends."""
        return NULL

    cdef At mob(self, At at) except? NULL:
        """Read a whole `Mob`; returns where it ends."""
        return NULL


cdef class Digests(Scan):
    """For the door: a digest of each usual element of a small document, and how much there is.

    `begins`, `places`, `zones` and `names` are mappings from a part of a document, as written, to what stands for it in
    an element's canonical form; they may raise for what they don't know. `records` are the starts of tags one of which
    has to follow an element that is taken out. `longest` is how long a list of coordinates or lootings may be.

    Afterwards `digests` has one digest after the other, and `sound` is whether all that was taken out was followed as
    it has to be.
    """

    cdef readonly bytes digests
    cdef readonly int mobs
    cdef readonly Py_ssize_t positions, lootings
    cdef readonly bint sound
    cdef object begins, places, zone_begins, names
    cdef tuple records
    cdef Py_ssize_t longest
    cdef char *found  # digests
    cdef char *zones  # digests of the zones of one creature
    cdef char *ordered
    cdef Slice *slices
    cdef Py_ssize_t found_size

    def __cinit__(
        self,
        bytes document not None,
        int version,
        begins,
        places,
        zones,
        names,
        tuple records not None,
        Py_ssize_t longest,
    ):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(document)
        self.begins, self.places, self.zone_begins, self.names = begins, places, zones, names
        self.records, self.longest, self.sound = records, min(longest, size), True
        # No element and no zone is shorter than its digest, no entry of a list shorter than a byte.
        self.found = <char *>malloc(size + 1)
        self.zones = <char *>malloc(size + 1)
        self.ordered = <char *>malloc(2 * self.longest + 2)
        self.slices = <Slice *>malloc((self.longest + 1) * sizeof(Slice))
        if not (self.found and self.zones and self.ordered and self.slices):
            raise MemoryError(f"There was no memory to read a document of {size:,} bytes.")
        self.run(document)
        self.digests = PyBytes_FromStringAndSize(self.found, self.found_size)

    def __dealloc__(self):
        free(self.found)
        free(self.zones)
        free(self.ordered)
        free(self.slices)

    cdef bint may_stand(self, bytes document, Py_ssize_t behind) except -1:
        cdef At at = PyBytes_AS_STRING(document) + behind
        while at[0] == b" " or at[0] == b"\n" or at[0] == b"\r" or at[0] == b"\t":
            at += 1
            behind += 1
        self.sound = past(at, b"<Loot ") or past(at, b"<Mob ") or document.startswith(self.records, behind)
        return self.sound

    cdef At loot(self, At at) except? NULL:
        cdef Loot loot
        cdef At text
        cdef Py_ssize_t lootings = 0, several = 0, slots = 0
        cdef char xy[16]
        cdef blake2b_state digest
        text = at = loot_head(at, self.version, &loot)
        while at and at[0] == b"+":
            lootings += 1
            slots = 0
            at += 1
            while at and is_digit(at[0]):
                at = slot(at, self.version)
                slots += 1
            several += slots > 1
        if not at or at - text > self.longest or not past(at, b"</Loot>"):
            return NULL
        begin(&digest)
        add_bytes(&digest, self.begins[loot.source[:loot.source_end - loot.source]])
        add(&digest, xy, snprintf(xy, sizeof(xy), "%d", loot.xy))
        add_bytes(&digest, self.places[loot.place[:loot.place_end - loot.place]])
        if lootings > 1 or several:
            self.order_lootings(text, at, lootings, several > 0)
            add(&digest, self.ordered, at - text)
        else:
            add(&digest, text, at - text)
        blake2b_final(&digest, <unsigned char *>self.found + self.found_size, DIGEST)
        self.found_size += DIGEST
        self.lootings += lootings
        return past(at, b"</Loot>")

    cdef void order_lootings(self, At text, At end, Py_ssize_t count, bint several) noexcept:
        """Put lootings in order, each begun by its `+`; where any has several slots, first the slots of each.

        A slot is ended by its `#`, as in the text, or, put in order, begun by it.
        """
        cdef char *room = self.ordered + self.longest
        cdef Slice *lootings = self.slices
        cdef Slice *slots = self.slices + count
        cdef Py_ssize_t number = 0, slot_count
        cdef At at = text
        cdef At begin
        while at < end:
            at += 1
            lootings[number].at = begin = at
            slot_count = 0
            while at < end and at[0] != b"+":
                slots[slot_count].at = at
                at = <At>memchr(at, b"#", end - at)
                slots[slot_count].size = at - slots[slot_count].at
                slot_count += 1
                at += 1
            lootings[number].size = at - begin
            if several:
                sort(slots, slot_count)
                lootings[number].at = room
                room = written(room, slots, slot_count, b"#")
            number += 1
        sort(lootings, number)
        written(self.ordered, lootings, number, b"+")

    cdef At mob(self, At at) except? NULL:
        cdef Mob mob
        cdef Py_ssize_t positions = self.positions, zones = 0
        cdef blake2b_state digest
        at = mob_head(at, &mob)
        while at and at[0] == b"<" and at[1] == b"Z":
            at = self.zone(at, zones)
            zones += 1
        at = past(at, b"</Mob>") if at else NULL
        if not at:
            self.positions = positions
            return NULL
        begin(&digest)
        add(&digest, b"Mob\x1fblizzid\x1e", 12)
        add(&digest, mob.id, mob.id_end - mob.id)
        add(&digest, b"\x1fdate\x1e", 6)
        add(&digest, mob.day, mob.day_end - mob.day)
        add(&digest, b"\x1fmax\x1e", 5)
        add(&digest, mob.high, mob.high_end - mob.high)
        add(&digest, b"\x1fmin\x1e", 5)
        add(&digest, mob.low, mob.low_end - mob.low)
        add(&digest, b"\x1fname\x1e", 6)
        add_bytes(&digest, self.names[mob.name[:mob.name_end - mob.name]])
        add(&digest, b"\x1freact\x1e", 7)
        add(&digest, mob.react, mob.react_end - mob.react)
        if zones > 1:
            qsort(self.zones, zones, DIGEST, by_digest)
        add(&digest, self.zones, zones * DIGEST)
        blake2b_final(&digest, <unsigned char *>self.found + self.found_size, DIGEST)
        self.found_size += DIGEST
        self.mobs += 1
        return at

    cdef At zone(self, At at, Py_ssize_t number) except? NULL:
        """Read `<Zone name="" level="">x/y,x/y,</Zone>`, the zone of this number within its creature."""
        cdef Zone zone
        cdef At text, entry
        cdef char *room = self.ordered
        cdef int xy = 0
        cdef Py_ssize_t count = 0
        cdef blake2b_state digest
        text = at = zone_head(at, &zone)
        if not text:
            return NULL
        begin(&digest)
        add_bytes(&digest, self.zone_begins[zone.name[:zone.floor_end - zone.name]])
        while at[0] != b"<":
            entry = at
            at = coordinate(at, &xy)
            if not at or at - text > self.longest:
                return NULL
            # As written but for a decimal that is 0: entries are shorter than in the text, and begun by their comma.
            self.slices[count].at = room
            room = without_zero(room, entry)
            self.slices[count].size = room - self.slices[count].at
            count += 1
        sort(self.slices, count)
        room = self.ordered + self.longest
        add(&digest, room, written(room, self.slices, count, b",") - room)
        blake2b_final(&digest, <unsigned char *>self.zones + number * DIGEST, DIGEST)
        self.positions += count
        return past(at, b"</Zone>")


cdef class Columns(Scan):
    """For workers: the usual elements of a document that has passed the door, attribute by attribute.

    `sources`, `places`, `zone_numbers` and `names` are mappings from a part of a document, as written, to its number
    (`names`: to the text it stands for); what they raise ends the reading.

    loots:      int64, a row for each `Loot` with a text: `no`, source, place, packed coordinate; `loot_texts` in step.
    mobs:       int64, a row for each `Mob`: `no`, id, min, max, reaction, day; `mob_names` in step.
    zones:      int64, a row for each `Zone` with coordinates: its `Mob`'s number, zone, floor, how many coordinates.
    xy:         int32, the packed coordinates of one zone after the other.

    `no` is the document's number, `mob` the first `Mob`'s.
    """

    cdef readonly bytearray loots, mobs, zones
    cdef readonly list loot_texts, mob_names
    cdef readonly bytes xy
    cdef object sources, places, zone_numbers, names
    cdef int64_t no, mob_number
    cdef int32_t *coordinates
    cdef Py_ssize_t coordinate_count

    def __cinit__(
        self, bytes document not None, int version, int64_t no, int64_t mob, sources, places, zone_numbers, names
    ):
        self.no, self.mob_number = no, mob
        self.sources, self.places, self.zone_numbers, self.names = sources, places, zone_numbers, names
        self.loots, self.mobs, self.zones = bytearray(), bytearray(), bytearray()
        self.loot_texts, self.mob_names = [], []
        # No coordinate is written in less than four bytes.
        self.coordinates = <int32_t *>malloc(PyBytes_GET_SIZE(document) + 4)
        if not self.coordinates:
            raise MemoryError("There was no memory to read a document.")
        self.run(document)
        self.xy = PyBytes_FromStringAndSize(<char *>self.coordinates, self.coordinate_count * sizeof(int32_t))

    def __dealloc__(self):
        free(self.coordinates)

    cdef At loot(self, At at) except? NULL:
        cdef Loot loot
        cdef int64_t row[4]
        cdef At text = loot_head(at, self.version, &loot)
        cdef At end = content(text) if text else NULL
        at = past(end, b"</Loot>") if end else NULL
        if not at or end == text:  # one without lootings says nothing, and comes too seldom to be read here
            return NULL
        row[0], row[3] = self.no, loot.xy
        row[1] = self.sources[loot.source[:loot.source_end - loot.source]]
        row[2] = self.places[loot.place[:loot.place_end - loot.place]]
        self.loots += (<char *>row)[:sizeof(row)]
        self.loot_texts.append(text[:end - text])
        return at

    cdef At mob(self, At at) except? NULL:
        cdef Mob mob
        cdef int64_t row[6]
        cdef Py_ssize_t zones = len(self.zones), coordinates = self.coordinate_count
        at = mob_head(at, &mob)
        while at and at[0] == b"<" and at[1] == b"Z":
            at = self.zone(at)
        at = past(at, b"</Mob>") if at else NULL
        if not at:
            del self.zones[zones:]
            self.coordinate_count = coordinates
            return NULL
        row[0], row[1], row[2], row[3] = self.no, mob.id_number, mob.low_number, mob.high_number
        row[4], row[5] = mob.react_number, mob.day_number
        self.mob_number += 1
        self.mobs += (<char *>row)[:sizeof(row)]
        self.mob_names.append(self.names[mob.name[:mob.name_end - mob.name]])
        return at

    cdef At zone(self, At at) except? NULL:
        cdef Zone zone
        cdef int64_t row[4]
        cdef Py_ssize_t first = self.coordinate_count
        cdef int xy = 0
        at = zone_head(at, &zone)
        if not at:
            return NULL
        while at[0] != b"<":
            at = coordinate(at, &xy)
            if not at:
                return NULL
            self.coordinates[self.coordinate_count] = xy
            self.coordinate_count += 1
        if self.coordinate_count > first:
            row[0] = self.mob_number
            row[1] = self.zone_numbers[zone.name[:zone.name_end - zone.name]]
            row[2] = zone.floor[0] - 48
            if zone.floor_end - zone.floor == 2:
                row[2] = row[2] * 10 + zone.floor[1] - 48
            row[3] = self.coordinate_count - first
            self.zones += (<char *>row)[:sizeof(row)]
        return past(at, b"</Zone>")
