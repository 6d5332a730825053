"""One scan of a document's bytes that takes out `Mob` and `Loot` elements in the addon's own form.

`Digests` serves the upload endpoint: a digest of each element. `Columns` serves workers: the elements as arrays.
Both share the functions that read elements, coordinates and lootings, and take every limit from `grammar`.

The scan is at least as strict as `grammar` and `records`. An element that breaks a rule, or is written in any other
form, stays in the remainder, for lxml to read. A name that `grammar` refuses ends the scan with its exception.
`fast_path` explains why elements may be taken out at all.

Bounds: Python puts a NUL behind a document, no rule accepts a NUL, and no byte is read before the one in front of it
was accepted. So nothing is read behind the end. Each output array has room for what a document of this length can
hold, so nothing is written behind an array's end. `test_scan_memory.py` checks both with the compiler's sanitizers;
`test_fast_path.py`, `test_slow_path.py` and `test_columns_agree.py` compare the results with the slow path's.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy

from ingest.formats.mobmapdata import grammar, records

cdef extern from "blake2.h" nogil:
    ctypedef struct blake2b_state:
        pass
    int blake2b_init(blake2b_state *state, size_t size)
    int blake2b_update(blake2b_state *state, const unsigned char *data, size_t size)
    int blake2b_final(blake2b_state *state, unsigned char *digest, size_t size)

cdef extern from *:
    const char *MADE_OF

made_of = MADE_OF.decode()  # begins with this file's digest, see deploy/steps/install/compiled.py

cdef int64_t MAX_NUMBER = grammar.MAX_NUMBER
cdef int64_t MAX_LEVEL = grammar.MAX_LEVEL
cdef int64_t MAX_FLOOR = grammar.MAX_FLOOR
cdef int64_t MAX_DAY_NUMBER = grammar.MAX_DAY_NUMBER
cdef int MAX_INSTANCE_DIGITS = grammar.MAX_INSTANCE_DIGITS
cdef int MAX_SLOT_DAY_DIGITS = grammar.MAX_SLOT_DAY_DIGITS
cdef int BY_NAME = grammar.BY_NAME  # versions
cdef int BY_ID = grammar.BY_ID
cdef int MAX_TENTHS = grammar.MAX_TENTHS
cdef int Y_BITS = grammar.Y_BITS
cdef uint32_t REACTIONS = sum(1 << reaction for reaction in grammar.REACTIONS)  # a bit each
cdef Py_ssize_t DIGEST = records.DIGEST

cdef enum:
    MAX_PART = 250  # bytes of a name's part, escapes included; longer ones are left to lxml
    MAX_DIGITS = 10  # of a number up to MAX_NUMBER
    UNKNOWN = -1  # an axis, or a packed coordinate
    FEW_ITEMS = 16  # up to so many are compared in pairs, more are sorted

ctypedef const char *Cursor  # points into the document


cdef struct Slice:
    Cursor start
    Py_ssize_t size


# --- values: each function returns the end of what it reads, or NULL if something else is there ------
cdef inline Cursor literal(Cursor p, Cursor expected) noexcept nogil:
    while expected[0]:
        if p[0] != expected[0]:
            return NULL
        p += 1
        expected += 1
    return p


cdef inline bint is_digit(char byte) noexcept nogil:
    return 48 <= byte <= 57


cdef inline Cursor natural(Cursor p, int64_t *value) noexcept nogil:
    """0 to `MAX_NUMBER` without leading zeros."""
    cdef Cursor begin = p
    value[0] = 0
    if not is_digit(p[0]):
        return NULL
    if p[0] == b"0":
        return p + 1
    while is_digit(p[0]) and p - begin <= MAX_DIGITS:
        value[0] = value[0] * 10 + p[0] - 48
        p += 1
    return p if value[0] <= MAX_NUMBER else NULL


cdef inline Cursor natural_up_to(Cursor p, int64_t maximum, int64_t *value) noexcept nogil:
    p = natural(p, value)
    return p if p and value[0] <= maximum else NULL


cdef inline Cursor integer(Cursor p) noexcept nogil:
    cdef int64_t value
    if p[0] != b"-":
        return natural(p, &value)
    p = natural(p + 1, &value)
    return p if p and value else NULL


cdef inline Cursor instance_number(Cursor p) noexcept nogil:
    """An item's instance number: up to `MAX_INSTANCE_DIGITS` digits, signed or unsigned."""
    cdef Cursor begin
    if p[0] == b"0":
        return p + 1
    p += p[0] == b"-"
    begin = p
    while is_digit(p[0]) and p - begin < MAX_INSTANCE_DIGITS:
        p += 1
    return p if p > begin and begin[0] != b"0" else NULL


cdef inline Cursor slot_day(Cursor p) noexcept nogil:
    """One to `MAX_SLOT_DAY_DIGITS` digits of base 36."""
    cdef Cursor begin = p
    while p - begin < MAX_SLOT_DAY_DIGITS and (
        is_digit(p[0]) or b"A" <= p[0] <= b"Z" or b"a" <= p[0] <= b"z"
    ):
        p += 1
    return p if p > begin else NULL


cdef inline Cursor level(Cursor p, int64_t *value) noexcept nogil:
    """-1 (a boss), or 0 to `MAX_LEVEL`."""
    if p[0] == b"-":
        value[0] = -1
        return literal(p, b"-1")
    return natural_up_to(p, MAX_LEVEL, value)


cdef inline Cursor axis(Cursor p, int *tenths) noexcept nogil:
    """0 to 100 percent with at most one decimal, in tenths; `-1` is `UNKNOWN`."""
    if p[0] == b"-":
        tenths[0] = UNKNOWN
        return literal(p, b"-1")
    if not is_digit(p[0]):
        return NULL
    tenths[0] = (p[0] - 48) * 10
    p += 1
    if tenths[0] and is_digit(p[0]):
        tenths[0] = tenths[0] * 10 + (p[0] - 48) * 10
        p += 1
        if tenths[0] * 10 == MAX_TENTHS and p[0] == b"0":
            tenths[0] = MAX_TENTHS
            p += 1
    if p[0] == b"." and is_digit(p[1]):
        tenths[0] += p[1] - 48
        p += 2
    return p if tenths[0] <= MAX_TENTHS else NULL


cdef inline int packed(int x, int y) noexcept nogil:
    """Pack as `grammar.pack` does."""
    return UNKNOWN if x == UNKNOWN else x << Y_BITS | y


cdef inline Cursor coordinate(Cursor p, int *xy) noexcept nogil:
    """`x/y,`, packed."""
    cdef int x = 0, y = 0
    p = axis(p, &x)
    p = axis(p + 1, &y) if p and p[0] == b"/" else NULL
    if not p or p[0] != b"," or (x == UNKNOWN) != (y == UNKNOWN):
        return NULL
    xy[0] = packed(x, y)
    return p + 1


cdef inline Cursor name_part(Cursor p, char until) noexcept nogil:
    """1 to `MAX_PART` bytes up to a byte, without quotes and without the begin of a tag."""
    cdef Cursor begin = p
    while p[0] != until and p[0] != b'"' and p[0] != b"<" and p[0] and p - begin <= MAX_PART:
        p += 1
    return p if p[0] == until and 0 < p - begin <= MAX_PART else NULL


# --- lootings --------------------------------------------------------------------------------------
cdef struct Looting:
    Py_ssize_t slots
    Py_ssize_t items  # distinct ones
    int64_t copper
    bint has_money


cdef inline Cursor read_slot(Cursor p, int version, int64_t *number, bint *is_item) noexcept nogil:
    """`item:suffix:instance:count[:day]#` or `copper#`; `number` is the item's id or the copper."""
    cdef int64_t count
    p = natural(p, number)
    is_item[0] = p and p[0] == b":" and number[0]
    if is_item[0]:
        p = integer(p + 1)
        p = instance_number(p + 1) if p and p[0] == b":" else NULL
        p = natural(p + 1, &count) if p and p[0] == b":" else NULL
        if p and p[0] == b":" and version != BY_NAME:
            p = slot_day(p + 1)
    return p + 1 if p and p[0] == b"#" else NULL


cdef inline Cursor read_looting(Cursor p, int version, int32_t *items, Looting *looting) noexcept nogil:
    """`+slot#slot#`. The ids of its distinct items are written to `items`, unless that is NULL.

    An item's slot takes 8 bytes and more, so `items` needs room for an eighth of the text's bytes.
    """
    cdef int64_t number = 0
    cdef bint is_item = False
    looting.slots = looting.items = looting.copper = looting.has_money = 0
    p += 1
    while is_digit(p[0]):
        p = read_slot(p, version, &number, &is_item)
        if not p:
            return NULL
        looting.slots += 1
        if not is_item:
            looting.copper += number
            looting.has_money = True
        elif items:
            items[looting.items] = <int32_t>number
            looting.items += 1
    if looting.items > 1:
        looting.items = distinct(items, looting.items)
    return p


cdef int compare_items(const void *left, const void *right) noexcept nogil:
    cdef int32_t one = (<const int32_t *>left)[0]
    cdef int32_t other = (<const int32_t *>right)[0]
    return (one > other) - (one < other)


cdef Py_ssize_t distinct(int32_t *items, Py_ssize_t count) noexcept nogil:
    """Move the distinct ones of some ids to the front; returns how many they are."""
    cdef Py_ssize_t kept = 0, number, first
    if count > FEW_ITEMS:
        qsort(items, count, sizeof(int32_t), compare_items)
    for number in range(count):
        first = kept - 1 if count > FEW_ITEMS and kept else 0  # sorted: an equal one is the last that was kept
        while first < kept and items[first] != items[number]:
            first += 1
        if first == kept:
            items[kept] = items[number]
            kept += 1
    return kept


# --- elements in the addon's form, up to their content ----------------------------------------------
cdef struct Loot:
    Cursor source, source_end, location, location_end
    int xy


cdef inline Cursor loot_head(Cursor p, int version, Loot *loot) noexcept nogil:
    """Read `<Loot name="source#x#y#zone[#floor]">`; returns where its text begins."""
    cdef int x = 0, y = 0
    cdef int64_t floor
    loot.source = literal(p, b'<Loot name="')
    loot.source_end = name_part(loot.source, b"#") if loot.source else NULL
    p = axis(loot.source_end + 1, &x) if loot.source_end else NULL
    p = axis(p + 1, &y) if p and p[0] == b"#" else NULL
    if not p or p[0] != b"#" or (x == UNKNOWN) != (y == UNKNOWN):
        return NULL
    loot.xy = packed(x, y)
    loot.location = p + 1
    if version == BY_ID:
        p = name_part(loot.location, b"#")
        p = natural_up_to(p + 1, MAX_FLOOR, &floor) if p else NULL
    else:
        p = name_part(loot.location, b'"')
        if p and memchr(loot.location, b"#", p - loot.location):
            return NULL  # the fields are counted from the right
    loot.location_end = p
    return literal(p, b'">') if p else NULL


cdef struct Mob:
    Cursor name, name_end, id, id_end, low, low_end, high, high_end, reaction, reaction_end, day, day_end
    int64_t id_number, low_number, high_number, reaction_number, day_number


cdef inline Cursor mob_head(Cursor p, Mob *mob) noexcept nogil:
    """Read `<Mob name="" blizzid="" min="" max="" react="" date="">`; returns where its zones begin."""
    mob.name = literal(p, b'<Mob name="')
    mob.name_end = name_part(mob.name, b'"') if mob.name else NULL
    mob.id = literal(mob.name_end, b'" blizzid="') if mob.name_end else NULL
    mob.id_end = natural(mob.id, &mob.id_number) if mob.id else NULL
    mob.low = literal(mob.id_end, b'" min="') if mob.id_end and mob.id_number else NULL
    mob.low_end = level(mob.low, &mob.low_number) if mob.low else NULL
    mob.high = literal(mob.low_end, b'" max="') if mob.low_end else NULL
    mob.high_end = level(mob.high, &mob.high_number) if mob.high else NULL
    mob.reaction = literal(mob.high_end, b'" react="') if mob.high_end else NULL
    mob.reaction_end = natural_up_to(mob.reaction, 31, &mob.reaction_number) if mob.reaction else NULL
    if not mob.reaction_end or not REACTIONS >> mob.reaction_number & 1:
        return NULL
    mob.day = literal(mob.reaction_end, b'" date="')
    mob.day_end = natural_up_to(mob.day, MAX_DAY_NUMBER, &mob.day_number) if mob.day else NULL
    return literal(mob.day_end, b'">') if mob.day_end else NULL


cdef struct Zone:
    Cursor name, name_end, floor, floor_end
    int64_t floor_number


cdef inline Cursor zone_head(Cursor p, Zone *zone) noexcept nogil:
    """Read `<Zone name="" level="">`; returns where its coordinates begin."""
    zone.name = literal(p, b'<Zone name="')
    zone.name_end = name_part(zone.name, b'"') if zone.name else NULL
    zone.floor = literal(zone.name_end, b'" level="') if zone.name_end else NULL
    zone.floor_end = natural_up_to(zone.floor, MAX_FLOOR, &zone.floor_number) if zone.floor else NULL
    return literal(zone.floor_end, b'">') if zone.floor_end else NULL


# --- canonical order, and digests --------------------------------------------------------------------
cdef int compare_slices(const void *left, const void *right) noexcept nogil:
    cdef const Slice *one = <const Slice *>left
    cdef const Slice *other = <const Slice *>right
    cdef int order = memcmp(one.start, other.start, min(one.size, other.size))
    return order if order else (one.size > other.size) - (one.size < other.size)


cdef int compare_digests(const void *left, const void *right) noexcept nogil:
    return memcmp(left, right, DIGEST)


cdef inline void sort(Slice *slices, Py_ssize_t count) noexcept nogil:
    """Sort texts by their bytes. Most lists have one or two, which need no call of `qsort`."""
    cdef Slice first
    if count == 2:
        if compare_slices(slices, slices + 1) > 0:
            first = slices[0]
            slices[0] = slices[1]
            slices[1] = first
    elif count > 2:
        qsort(slices, count, sizeof(Slice), compare_slices)


cdef inline char *write_without_zero(char *out, Cursor entry) noexcept:
    """Write `x/y` up to its comma without a decimal `.0`; returns the end of what was written."""
    while entry[0] != b",":
        if entry[0] == b"." and entry[1] == b"0":
            entry += 2
            continue
        out[0] = entry[0]
        out += 1
        entry += 1
    return out


cdef inline char *write_all(char *out, const Slice *slices, Py_ssize_t count, char separator) noexcept:
    """Write texts with a separator before each; returns the end of what was written."""
    cdef Py_ssize_t number
    for number in range(count):
        out[0] = separator
        memcpy(out + 1, slices[number].start, slices[number].size)
        out += 1 + slices[number].size
    return out


cdef inline void begin_digest(blake2b_state *digest) noexcept nogil:
    blake2b_init(digest, DIGEST)


cdef inline void add(blake2b_state *digest, Cursor text, Py_ssize_t size) noexcept nogil:
    blake2b_update(digest, <const unsigned char *>text, size)


cdef inline void add_bytes(blake2b_state *digest, bytes text) noexcept:
    add(digest, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


# --- documents -------------------------------------------------------------------------------------
cdef class Scan:
    """Take out each element that `mob` or `loot` can read; `remainder` is the document without them."""

    cdef readonly bytes remainder
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
        cdef Cursor start = PyBytes_AS_STRING(document)
        cdef Cursor end = start + PyBytes_GET_SIZE(document)
        cdef Cursor done = start  # everything before it was kept or taken out
        cdef Cursor p = start
        cdef Cursor element_end
        while True:
            p = <Cursor>memchr(p, b"<", end - p)
            if not p:
                break
            if p[1] == b"L":
                element_end = self.loot(p)
            elif p[1] == b"M" and p[2] == b"o" and self.version == BY_ID:
                element_end = self.mob(p)
            else:
                element_end = NULL
            if not element_end:
                p += 1
                continue
            self.keep(done, p)
            done = p = element_end
            if not self.may_precede(document, element_end - start):
                break
        self.keep(done, end)
        self.remainder = PyBytes_FromStringAndSize(self.kept, self.kept_size)

    cdef void keep(self, Cursor p, Cursor end) noexcept:
        memcpy(self.kept + self.kept_size, p, end - p)
        self.kept_size += end - p

    cdef bint may_precede(self, bytes document, Py_ssize_t behind) except -1:
        """Return whether an extracted element may stand before what follows it; if not, the scan ends."""
        return True

    cdef Cursor loot(self, Cursor p) except? NULL:
        """Read a whole `Loot`; returns its end."""
        return NULL

    cdef Cursor mob(self, Cursor p) except? NULL:
        """Read a whole `Mob`; returns its end."""
        return NULL


cdef class Digests(Scan):
    """For the upload endpoint: a digest of each extracted element of a small document, and their counts.

    `begins`, `locations`, `zones` and `names` map a part of an element, as written, to its part of the canonical form;
    they may raise for a part that is not valid. `records` are the starts of tags, one of which has to follow an
    extracted element. `longest` is how many bytes a list of coordinates or lootings may have.

    digests: the digests of all extracted elements, concatenated, `records.DIGEST` bytes each.
    sound:   whether each extracted element was followed by one of `records`.
    """

    cdef readonly bytes digests
    cdef readonly int mobs
    cdef readonly Py_ssize_t positions, lootings
    cdef readonly bint sound
    cdef object begins, locations, zone_begins, names
    cdef tuple records
    cdef Py_ssize_t longest
    cdef char *found  # digests of elements
    cdef char *zones  # digests of the zones of one creature
    cdef char *ordered  # two halves of `longest` bytes
    cdef Slice *slices
    cdef Py_ssize_t found_size

    def __cinit__(
        self,
        bytes document not None,
        int version,
        begins,
        locations,
        zones,
        names,
        tuple records not None,
        Py_ssize_t longest,
    ):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(document)
        self.begins, self.locations, self.zone_begins, self.names = begins, locations, zones, names
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

    cdef bint may_precede(self, bytes document, Py_ssize_t behind) except -1:
        cdef Cursor p = PyBytes_AS_STRING(document) + behind
        while p[0] == b" " or p[0] == b"\n" or p[0] == b"\r" or p[0] == b"\t":
            p += 1
            behind += 1
        self.sound = literal(p, b"<Loot ") or literal(p, b"<Mob ") or document.startswith(self.records, behind)
        return self.sound

    cdef Cursor loot(self, Cursor p) except? NULL:
        cdef Loot loot
        cdef Looting looting
        cdef Cursor text
        cdef Py_ssize_t lootings = 0, with_several = 0
        cdef char xy[16]
        cdef blake2b_state digest
        text = p = loot_head(p, self.version, &loot)
        while p and p[0] == b"+":
            p = read_looting(p, self.version, NULL, &looting)
            lootings += 1
            with_several += looting.slots > 1
        if not p or p - text > self.longest or not literal(p, b"</Loot>"):
            return NULL
        begin_digest(&digest)
        add_bytes(&digest, self.begins[loot.source[:loot.source_end - loot.source]])
        add(&digest, xy, snprintf(xy, sizeof(xy), "%d", loot.xy))
        add_bytes(&digest, self.locations[loot.location[:loot.location_end - loot.location]])
        if lootings > 1 or with_several:
            self.sort_lootings(text, p, lootings, with_several > 0)
            add(&digest, self.ordered, p - text)
        else:
            add(&digest, text, p - text)
        blake2b_final(&digest, <unsigned char *>self.found + self.found_size, DIGEST)
        self.found_size += DIGEST
        self.lootings += lootings
        return literal(p, b"</Loot>")

    cdef void sort_lootings(self, Cursor text, Cursor end, Py_ssize_t count, bint several) noexcept:
        """Write a text's lootings to `ordered`, sorted, each begun by its `+`.

        If any looting has several slots, the slots of each are sorted before. A slot is then begun by its `#` instead
        of ended by it.
        """
        cdef char *out = self.ordered + self.longest
        cdef Slice *lootings = self.slices
        cdef Slice *slots = self.slices + count
        cdef Py_ssize_t number = 0, slot_count
        cdef Cursor p = text
        cdef Cursor begin
        while p < end:
            p += 1
            lootings[number].start = begin = p
            slot_count = 0
            while p < end and p[0] != b"+":
                slots[slot_count].start = p
                p = <Cursor>memchr(p, b"#", end - p)
                slots[slot_count].size = p - slots[slot_count].start
                slot_count += 1
                p += 1
            lootings[number].size = p - begin
            if several:
                sort(slots, slot_count)
                lootings[number].start = out
                out = write_all(out, slots, slot_count, b"#")
            number += 1
        sort(lootings, number)
        write_all(self.ordered, lootings, number, b"+")

    cdef Cursor mob(self, Cursor p) except? NULL:
        cdef Mob mob
        cdef Py_ssize_t positions = self.positions, zones = 0
        cdef blake2b_state digest
        p = mob_head(p, &mob)
        while p and p[0] == b"<" and p[1] == b"Z":
            p = self.zone(p, zones)
            zones += 1
        p = literal(p, b"</Mob>") if p else NULL
        if not p:
            self.positions = positions
            return NULL
        begin_digest(&digest)
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
        add(&digest, mob.reaction, mob.reaction_end - mob.reaction)
        if zones > 1:
            qsort(self.zones, zones, DIGEST, compare_digests)
        add(&digest, self.zones, zones * DIGEST)
        blake2b_final(&digest, <unsigned char *>self.found + self.found_size, DIGEST)
        self.found_size += DIGEST
        self.mobs += 1
        return p

    cdef Cursor zone(self, Cursor p, Py_ssize_t number) except? NULL:
        """Read `<Zone name="" level="">x/y,x/y,</Zone>`, the zone of this number within its creature."""
        cdef Zone zone
        cdef Cursor text, entry
        cdef char *out = self.ordered
        cdef int xy = 0
        cdef Py_ssize_t count = 0
        cdef blake2b_state digest
        text = p = zone_head(p, &zone)
        if not text:
            return NULL
        begin_digest(&digest)
        add_bytes(&digest, self.zone_begins[zone.name[:zone.floor_end - zone.name]])
        while p[0] != b"<":
            entry = p
            p = coordinate(p, &xy)
            if not p or p - text > self.longest:
                return NULL
            # As written but for a decimal that is 0. The comma, which ended the entry, later begins it.
            self.slices[count].start = out
            out = write_without_zero(out, entry)
            self.slices[count].size = out - self.slices[count].start
            count += 1
        sort(self.slices, count)
        out = self.ordered + self.longest
        add(&digest, out, write_all(out, self.slices, count, b",") - out)
        blake2b_final(&digest, <unsigned char *>self.zones + number * DIGEST, DIGEST)
        self.positions += count
        return literal(p, b"</Zone>")


cdef class Columns(Scan):
    """For workers: the elements of a validated document as arrays.

    `sources`, `locations`, `zone_numbers` and `names` map a part of an element, as written, to its number (`names`: to
    its text); what they raise ends the scan. `no` is the document's number, `mob` the number of its first `Mob`.

    loots: int64, 8 per `Loot` with lootings: `no`, source, location, packed coordinate, number of lootings, number of
           lootings with money, copper, number of drops.
    items: int32, the items' ids of all drops, concatenated in the order of `loots`. An item drops once per looting,
           however many of its slots hold it.
    mobs:  int64, 6 per `Mob`: `no`, id, min, max, reaction, day number; `mob_names` in step.
    zones: int64, 4 per `Zone` with coordinates: its `Mob`'s number, zone, floor, number of coordinates.
    xy:    int32, the packed coordinates of all zones, concatenated in the order of `zones`.
    """

    cdef readonly bytearray loots, mobs, zones
    cdef readonly list mob_names
    cdef readonly bytes items, xy
    cdef object sources, locations, zone_numbers, names
    cdef int64_t no, mob_number
    cdef int32_t *item_ids
    cdef int32_t *coordinates
    cdef Py_ssize_t item_count, coordinate_count

    def __cinit__(
        self, bytes document not None, int version, int64_t no, int64_t mob, sources, locations, zone_numbers, names
    ):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(document)
        self.no, self.mob_number = no, mob
        self.sources, self.locations, self.zone_numbers, self.names = sources, locations, zone_numbers, names
        self.loots, self.mobs, self.zones = bytearray(), bytearray(), bytearray()
        self.mob_names = []
        # An item's slot takes at least 8 bytes (`1:0:0:0#`), a coordinate 4 (`1/1,`).
        self.item_ids = <int32_t *>malloc((size // 8 + 1) * sizeof(int32_t))
        self.coordinates = <int32_t *>malloc((size // 4 + 1) * sizeof(int32_t))
        if not (self.item_ids and self.coordinates):
            raise MemoryError(f"There was no memory to read a document of {size:,} bytes.")
        self.run(document)
        self.items = PyBytes_FromStringAndSize(<char *>self.item_ids, self.item_count * sizeof(int32_t))
        self.xy = PyBytes_FromStringAndSize(<char *>self.coordinates, self.coordinate_count * sizeof(int32_t))

    def __dealloc__(self):
        free(self.item_ids)
        free(self.coordinates)

    cdef Cursor loot(self, Cursor p) except? NULL:
        cdef Loot loot
        cdef Looting looting
        cdef int64_t row[8]
        cdef Py_ssize_t items = self.item_count
        row[4] = row[5] = row[6] = 0
        p = loot_head(p, self.version, &loot)
        while p and p[0] == b"+":
            p = read_looting(p, self.version, self.item_ids + items, &looting)
            row[4] += 1
            row[5] += looting.has_money
            row[6] += looting.copper
            items += looting.items
        p = literal(p, b"</Loot>") if p else NULL
        if not p or not row[4]:  # lxml passes over one without lootings
            return NULL
        row[0], row[3] = self.no, loot.xy
        row[1] = self.sources[loot.source[:loot.source_end - loot.source]]
        row[2] = self.locations[loot.location[:loot.location_end - loot.location]]
        row[7] = items - self.item_count
        self.loots += (<char *>row)[:sizeof(row)]
        self.item_count = items
        return p

    cdef Cursor mob(self, Cursor p) except? NULL:
        cdef Mob mob
        cdef int64_t row[6]
        cdef Py_ssize_t zones = len(self.zones), coordinates = self.coordinate_count
        p = mob_head(p, &mob)
        while p and p[0] == b"<" and p[1] == b"Z":
            p = self.zone(p)
        p = literal(p, b"</Mob>") if p else NULL
        if not p:
            del self.zones[zones:]
            self.coordinate_count = coordinates
            return NULL
        row[0], row[1], row[2], row[3] = self.no, mob.id_number, mob.low_number, mob.high_number
        row[4], row[5] = mob.reaction_number, mob.day_number
        self.mob_number += 1
        self.mobs += (<char *>row)[:sizeof(row)]
        self.mob_names.append(self.names[mob.name[:mob.name_end - mob.name]])
        return p

    cdef Cursor zone(self, Cursor p) except? NULL:
        cdef Zone zone
        cdef int64_t row[4]
        cdef Py_ssize_t first = self.coordinate_count
        cdef int xy = 0
        p = zone_head(p, &zone)
        if not p:
            return NULL
        while p[0] != b"<":
            p = coordinate(p, &xy)
            if not p:
                return NULL
            self.coordinates[self.coordinate_count] = xy
            self.coordinate_count += 1
        if self.coordinate_count > first:
            row[0], row[2] = self.mob_number, zone.floor_number
            row[1] = self.zone_numbers[zone.name[:zone.name_end - zone.name]]
            row[3] = self.coordinate_count - first
            self.zones += (<char *>row)[:sizeof(row)]
        return literal(p, b"</Zone>")
