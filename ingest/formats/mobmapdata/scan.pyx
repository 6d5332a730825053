"""One pass over a small document's bytes that takes out `Mob` and `Loot` as the addon writes them.

Here stand rules of `grammar` and `records` once more, in C, and at least as strict: the check of each upload is what
the web server has most to do for. An element that breaks one, or is written in any other way, simply stays, for the
schema and `records` to judge; for one with a name they refuse, the whole document does. Why elements may be taken out
at all is told in `usual`.

Nothing is read behind a document's end: Python puts a NUL there, which is no part of anything usual, and no sign is
looked at but behind one that is. Nothing is written behind an array's end: each has room for what a document of this
length can hold. `tests/ingest/test_scan_memory.py` has both watched by the compiler's sanitizers, and what is found
is held against the other way of reading by `test_usual.py` and `test_readers_agree.py`.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
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
    const char *SOURCE_DIGEST

source_digest = SOURCE_DIGEST.decode()

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


cdef inline At part(At at, char until) noexcept nogil:
    """A part of a name: 1 to `MAX_PART` bytes, no quote among them and nothing that ends a tag or begins one."""
    cdef At begin = at
    while at[0] != until and at[0] != b'"' and at[0] != b"<" and at[0] and at - begin <= MAX_PART:
        at += 1
    return at if at[0] == until and 0 < at - begin <= MAX_PART else NULL


cdef inline At level(At at) noexcept nogil:
    """-1, or up to three digits without leading zeros."""
    cdef int64_t value
    if at[0] == b"-":
        return past(at, b"-1")
    at = natural(at, &value)
    return at if at and value <= 999 else NULL


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


cdef inline void begin(blake2b_state *digest) noexcept nogil:
    blake2b_init(digest, DIGEST)


cdef inline void add(blake2b_state *digest, At at, Py_ssize_t size) noexcept nogil:
    blake2b_update(digest, <const unsigned char *>at, size)


cdef inline void add_bytes(blake2b_state *digest, bytes text) noexcept:
    add(digest, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef class Scan:
    """The usual elements of a document, and what remains of it without them.

    `begins`, `places`, `zones` and `names` are mappings from a part of a document, as written, to what stands for it in
    an element's canonical form; they may raise for what they don't know. `records` are the starts of tags one of which
    has to follow an element that is taken out. `longest` is how long a list of coordinates or lootings may be.

    Afterwards `rest` is what remains, `digests` one digest after the other, and `sound` whether all that was taken out
    was followed as it has to be.
    """

    cdef readonly bytes rest, digests
    cdef readonly int mobs
    cdef readonly Py_ssize_t positions, lootings
    cdef readonly bint sound
    cdef object begins, places, zone_begins, names
    cdef int version
    cdef Py_ssize_t longest
    cdef char *kept
    cdef char *found  # digests
    cdef char *zones  # digests of the zones of one creature
    cdef char *ordered
    cdef Slice *slices
    cdef Py_ssize_t kept_size, found_size

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
        self.version, self.longest = version, min(longest, size)
        self.begins, self.places, self.zone_begins, self.names = begins, places, zones, names
        self.sound = True
        # No element and no zone is shorter than its digest, no entry of a list shorter than a byte.
        self.kept = <char *>malloc(size + 1)
        self.found = <char *>malloc(size + 1)
        self.zones = <char *>malloc(size + 1)
        self.ordered = <char *>malloc(2 * self.longest + 2)
        self.slices = <Slice *>malloc((self.longest + 1) * sizeof(Slice))
        if not (self.kept and self.found and self.zones and self.ordered and self.slices):
            raise MemoryError(f"There was no memory to read a document of {size:,} bytes.")
        self.run(document, records)
        self.rest = PyBytes_FromStringAndSize(self.kept, self.kept_size)
        self.digests = PyBytes_FromStringAndSize(self.found, self.found_size)

    def __dealloc__(self):
        free(self.kept)
        free(self.found)
        free(self.zones)
        free(self.ordered)
        free(self.slices)

    cdef void keep(self, At at, At end) noexcept:
        memcpy(self.kept + self.kept_size, at, end - at)
        self.kept_size += end - at

    cdef int run(self, bytes document, tuple records) except -1:
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
            elif at[1] == b"M" and at[2] == b"o":
                behind = self.mob(at)
            else:
                behind = NULL
            if not behind:
                at += 1
                continue
            self.keep(kept, at)
            kept = at = behind
            while behind[0] == b" " or behind[0] == b"\n" or behind[0] == b"\r" or behind[0] == b"\t":
                behind += 1
            if not (past(behind, b"<Loot ") or past(behind, b"<Mob ") or document.startswith(records, behind - start)):
                self.sound = False
                break
        self.keep(kept, end)

    cdef At loot(self, At at) except? NULL:
        """Read `<Loot name="source#x#y#zone[#floor]">lootings</Loot>`."""
        cdef At source, source_end, place, place_end, text
        cdef int x = 0, y = 0, packed
        cdef Py_ssize_t lootings = 0, several = 0, slots = 0
        cdef char xy[16]
        cdef blake2b_state digest
        source = past(at, b'<Loot name="')
        source_end = part(source, b"#") if source else NULL
        at = axis(source_end + 1, &x) if source_end else NULL
        at = axis(at + 1, &y) if at and at[0] == b"#" else NULL
        if not at or at[0] != b"#" or (x == UNKNOWN) != (y == UNKNOWN):
            return NULL
        place = at + 1
        if self.version == 44:
            place_end = part(place, b"#")
            if not place_end:
                return NULL
            place_end += 1
            if not is_digit(place_end[0]):
                return NULL
            place_end += 2 if is_digit(place_end[1]) else 1
        else:
            place_end = part(place, b'"')
            if place_end and memchr(place, b"#", place_end - place):
                return NULL  # the fields are counted from the right
        text = at = past(place_end, b'">') if place_end else NULL
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
        packed = UNKNOWN if x == UNKNOWN else x << 10 | y  # as `grammar.pack` does
        begin(&digest)
        add_bytes(&digest, self.begins[source[:source_end - source]])
        add(&digest, xy, snprintf(xy, sizeof(xy), "%d", packed))
        add_bytes(&digest, self.places[place[:place_end - place]])
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
        """Put lootings in order, each begun by its `+`; where any has several slots, the slots of each before.

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
        """Read `<Mob name="" blizzid="" min="" max="" react="" date="">`, its zones and `</Mob>`."""
        cdef int64_t number = 0, date = 0
        cdef At name, name_end, id, id_end, low, low_end, high, high_end, react, react_end, day, day_end
        cdef Py_ssize_t positions = self.positions, zones = 0
        cdef blake2b_state digest
        if self.version != 44:
            return NULL
        name = past(at, b'<Mob name="')
        name_end = part(name, b'"') if name else NULL
        id = past(name_end, b'" blizzid="') if name_end else NULL
        id_end = natural(id, &number) if id else NULL
        low = past(id_end, b'" min="') if id_end and number else NULL
        low_end = level(low) if low else NULL
        high = past(low_end, b'" max="') if low_end else NULL
        high_end = level(high) if high else NULL
        react = past(high_end, b'" react="') if high_end else NULL
        if not react:
            return NULL
        react_end = react + 1 if react[0] == b"1" and b"0" <= react[1] <= b"2" else react
        if not b"0" <= react_end[0] <= b"2":
            return NULL
        react_end += 1
        day = past(react_end, b'" date="')
        day_end = natural(day, &date) if day else NULL
        at = past(day_end, b'">') if day_end and date <= 9999 else NULL
        while at and at[0] == b"<" and at[1] == b"Z":
            at = self.zone(at, zones)
            zones += 1
        at = past(at, b"</Mob>") if at else NULL
        if not at:
            self.positions = positions
            return NULL
        begin(&digest)
        add(&digest, b"Mob\x1fblizzid\x1e", 12)
        add(&digest, id, id_end - id)
        add(&digest, b"\x1fdate\x1e", 6)
        add(&digest, day, day_end - day)
        add(&digest, b"\x1fmax\x1e", 5)
        add(&digest, high, high_end - high)
        add(&digest, b"\x1fmin\x1e", 5)
        add(&digest, low, low_end - low)
        add(&digest, b"\x1fname\x1e", 6)
        add_bytes(&digest, self.names[name[:name_end - name]])
        add(&digest, b"\x1freact\x1e", 7)
        add(&digest, react, react_end - react)
        if zones > 1:
            qsort(self.zones, zones, DIGEST, by_digest)
        add(&digest, self.zones, zones * DIGEST)
        blake2b_final(&digest, <unsigned char *>self.found + self.found_size, DIGEST)
        self.found_size += DIGEST
        self.mobs += 1
        return at

    cdef At zone(self, At at, Py_ssize_t number) except? NULL:
        """Read `<Zone name="" level="">x/y,x/y,</Zone>`, the zone of this number within its creature."""
        cdef At name, text, entry
        cdef char *room = self.ordered
        cdef int x = 0, y = 0
        cdef Py_ssize_t count = 0
        cdef blake2b_state digest
        name = past(at, b'<Zone name="')
        at = part(name, b'"') if name else NULL
        at = past(at, b'" level="') if at else NULL
        if not at or not is_digit(at[0]):
            return NULL
        at += 2 if is_digit(at[1]) else 1
        text = past(at, b'">')
        if not text:
            return NULL
        begin(&digest)
        add_bytes(&digest, self.zone_begins[name[:at - name]])
        at = text
        while at[0] != b"<":
            entry = at
            at = axis(at, &x)
            at = axis(at + 1, &y) if at and at[0] == b"/" else NULL
            if not at or at[0] != b"," or (x == UNKNOWN) != (y == UNKNOWN) or at - text >= self.longest:
                return NULL
            # As written but for a decimal that is 0: entries are shorter than in the text, and begun by their comma.
            self.slices[count].at = room
            room = without_zero(room, entry)
            self.slices[count].size = room - self.slices[count].at
            count += 1
            at += 1
        sort(self.slices, count)
        room = self.ordered + self.longest
        add(&digest, room, written(room, self.slices, count, b",") - room)
        blake2b_final(&digest, <unsigned char *>self.zones + number * DIGEST, DIGEST)
        self.positions += count
        return past(at, b"</Zone>")


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
