"""The words that the invented world's names are made of: English, German and, where adjectives need it, the gender."""

from __future__ import annotations

#: Zones outside: English, German, level, towns (the same in both languages).
OUTDOOR_ZONES = [
    ("Willowmarch", "Weidenmark", 4, ("Orrinford", "Teskel")),
    ("Brackenfell", "Farnhöhen", 9, ("Haldring", "Mübben")),
    ("The Saltgrove", "Der Salzhain", 14, ("Quennock", "Tiedsiel")),
    ("Upper Thistlewater", "Oberes Distelwasser", 19, ("Vessing", "Großpolder")),
    ("Mothlight Wood", "Mottenlichtwald", 24, ("Ilkerby", "Sömmerau")),
    ("Rookstone Ridge", "Krähensteingrat", 30, ("Dolmach", "Kaltenstieg")),
    ("Ochre Lowlands", "Ockersenke", 36, ("Pellory", "Rötham")),
    ("Gloomharbor Reach", "Düsterhafener Küste", 42, ("Ankerloch", "Stavel")),
    ("Cinderquarry", "Schlackenbruch", 48, ("Karnsick", "Glühheim")),
    ("Duskbarrow Heath", "Dämmerhügelheide", 54, ("Wendmoor", "Oßlau")),
    ("The Glass Coast", "Gläserne Küste", 58, ("Lissavar", "Klirrfurt")),
]

#: Instances: English, German, level, floors, difficulties besides the ordinary one.
INSTANCES = [
    ("Vault of the Nine Lanterns", "Gewölbe der neun Laternen", 22, 2, ("HEROIC",)),
    ("The Sunken Scriptorium", "Das versunkene Schreibhaus", 40, 3, ("HEROIC",)),
    ("Court of Hollow Bells", "Hof der hohlen Glocken", 60, 2, ("RAID1N", "RAID2N", "RAID1H", "RAID2H")),
]

#: First halves of beasts' names; the German ones join without a space.
PREFIXES = [
    ("Reed", "Schilf"),
    ("Ember", "Glut"),
    ("Moss", "Moos"),
    ("Bramble", "Brombeer"),
    ("Salt", "Salz"),
    ("Cinder", "Schlacken"),
    ("Hoarfrost", "Raureif"),
    ("Mire", "Morast"),
    ("Dusk", "Dämmer"),
    ("Verdigris", "Grünspan"),
    ("Fog", "Nebel"),
    ("Chalk", "Kreide"),
    ("Rust", "Rost"),
    ("Tallow", "Talg"),
    ("Thistle", "Distel"),
    ("Lantern", "Laternen"),
    ("Soot", "Ruß"),
    ("Gravel", "Geröll"),
    ("Honey", "Honig"),
    ("Slate", "Schiefer"),
    ("Brine", "Solen"),
    ("Candle", "Kerzen"),
    ("Copperleaf", "Kupferblatt"),
]

#: Beasts: English, German second half, gender, German first half for what is cut from them.
BEASTS = [
    ("Boar", "keiler", "m", "Keiler"),
    ("Moth", "motte", "f", "Motten"),
    ("Otter", "otter", "m", "Otter"),
    ("Newt", "molch", "m", "Molch"),
    ("Stag", "hirsch", "m", "Hirsch"),
    ("Beetle", "käfer", "m", "Käfer"),
    ("Shrike", "würger", "m", "Würger"),
    ("Toad", "kröte", "f", "Kröten"),
    ("Heron", "reiher", "m", "Reiher"),
    ("Badger", "dachs", "m", "Dachs"),
    ("Adder", "natter", "f", "Nattern"),
    ("Lynx", "luchs", "m", "Luchs"),
    ("Ram", "widder", "m", "Widder"),
    ("Shore Crab", "krabbe", "f", "Krabben"),
    ("Magpie", "elster", "f", "Elster"),
    ("Marten", "marder", "m", "Marder"),
    ("Bittern", "dommel", "f", "Dommel"),
    ("Weevil", "rüssler", "m", "Rüssler"),
    ("Foal", "füllen", "n", "Füllen"),
    ("Calf", "kalb", "n", "Kalbs"),
]

#: Neither beast nor folk: elementals, the dead, machines.
ODDITIES = [
    ("Cairnling", "steinling", "m", "elemental"),
    ("Kilnborn", "ofenwesen", "n", "elemental"),
    ("Wakeling", "wiedergänger", "m", "undead"),
    ("Ratchet", "schrauber", "m", "mechanical"),
]

AGES = [("Young", "Jung"), ("Great", "Groß"), ("Scarred", "Vernarbt"), ("Skittish", "Schreckhaft")]
GENDER_ENDINGS = {"m": "er", "f": "e", "n": "es"}

#: Hostile folk: English before the rank, German after it.
FOLK = [
    ("Tallowhand", "der Talghände"),
    ("Greywick", "der Graudochte"),
    ("Oxbow", "der Altarmleute"),
    ("Knotted Rope", "vom Geknüpften Seil"),
    ("Sevenbell", "der Siebenglocken"),
    ("Peatborn", "der Torfgeborenen"),
    ("Underquill", "der Unterfeder"),
    ("Saltgrin", "der Salzgrinser"),
    ("Clay Oath", "des Lehmschwurs"),
    ("Brother's Knot", "des Bruderknotens"),
    ("Rag & Ash", "von Lumpen & Asche"),
    ("Ink-Drowned", "der Tintenertränkten"),
    ("Ninth Lantern", "der neunten Laterne"),
    ("Hollow Bell", "der hohlen Glocke"),
]
RANKS = [
    ("Raider", "Plünderer"),
    ("Lookout", "Späherin"),
    ("Bruiser", "Schläger"),
    ("Candlemage", "Kerzenmagier"),
    ("Netcaster", "Netzwerferin"),
    ("Ropewright", "Seilmacher"),
    ("Pikebearer", "Spießträger"),
    ("Bellwarden", "Glockenwärterin"),
    ("Tithe Collector", "Zehnteintreiber"),
    ("Ashmonger", "Aschekrämerin"),
    ("Oathkeeper", "Schwurhüter"),
    ("Drummer", "Trommlerin"),
]

#: Friendly folk, each "of" a town.
TRADES = [
    ("Miller", "Müllerin"),
    ("Ferry Hand", "Fährknecht"),
    ("Beekeeper", "Imkerin"),
    ("Night Watch", "Nachtwächter"),
    ("Cooper", "Küfer"),
    ("Lamplighter", "Laternenanzünder"),
    ("Wool Weigher", "Wollwägerin"),
    ("Salt Clerk", "Salzschreiber"),
]

PEOPLE = [
    "Orwen",
    "Tessal",
    "Brundt",
    "Ismarel",
    "Kaddoc",
    "Uldra",
    "Perrik",
    "Sanne",
    "Melisk",
    "Gunnolf",
    "Ratho",
    "Irmfrid",
    "Skarro",
    "Velke",
    "Odrun",
    "Hesk'al",
    "Mirrow",
    "Tjark",
    "Bövert",
    "Nasquin",
    "Eldeweiß",
    "Drumm",
    "Quorl",
    "Yssa",
]
EPITHETS = [
    ("Lantern of the Deep", "Laterne der Tiefe"),
    ("Bane of Ropes", "Fluch der Seile"),
    ("Tooth of the Tide", "Zahn der Gezeiten"),
    ("Hunger of the Kiln", "Hunger des Ofens"),
    ("Third Bell", "Dritte Glocke"),
    ("Voice under Ice", "Stimme unter dem Eis"),
    ("Mother of Moths", "Mutter der Motten"),
    ("Fist of Clay", "Faust aus Lehm"),
    ("Last Page", "Letzte Seite"),
    ("Ember of the Hill", "Glut des Hügels"),
    ("Shadow at Low Water", "Schatten bei Niedrigwasser"),
    ("Soot Crown", "Rußkrone"),
]

ADJECTIVES = [
    ("Worn", "Abgenutzt"),
    ("Gilded", "Vergoldet"),
    ("Heavy", "Schwer"),
    ("Split", "Gesprungen"),
    ("Soot-Black", "Rußschwarz"),
    ("Whispering", "Flüsternd"),
    ("Mended", "Geflickt"),
    ("Crooked", "Schief"),
    ("Oily", "Ölig"),
    ("Frosted", "Bereift"),
    ("Nameless", "Namenlos"),
    ("Sweetened", "Gesüßt"),
]
THINGS = [
    ("Satchel", "Ranzen", "m"),
    ("Lantern Hook", "Laternenhaken", "m"),
    ("Belt Clasp", "Gürtelschnalle", "f"),
    ("Boar Spear", "Saufeder", "f"),
    ("Cleaver", "Hackmesser", "n"),
    ("Hood", "Kapuze", "f"),
    ("Mitten", "Fäustling", "m"),
    ("Thimble", "Fingerhut", "m"),
    ("Kettle", "Kessel", "m"),
    ("Harp String", "Harfensaite", "f"),
    ("Signet", "Siegel", "n"),
    ("Shin Guard", "Beinschiene", "f"),
    ("Doublet", "Wams", "n"),
    ("Boot", "Stiefel", "m"),
    ("Fishing Net", "Fischernetz", "n"),
    ("Phial", "Fläschchen", "n"),
    ("Cellar Key", "Kellerschlüssel", "m"),
    ("Carnival Mask", "Larve", "f"),
    ("Quill", "Schreibfeder", "f"),
    ("Sickle", "Sichel", "f"),
    ("Handbell", "Glöckchen", "n"),
    ("Candlestick", "Leuchter", "m"),
    ("Account Book", "Rechnungsbuch", "n"),
    ("Sheepshears", "Schafschere", "f"),
]
PARTS = [("Tooth", "zahn"), ("Claw", "klaue"), ("Gall", "galle"), ("Sinew", "sehne")]
PELTS = [("Supple Pelt", "Geschmeidiger Balg"), ("Scuffed Pelt", "Abgewetzter Balg"), ("Stiff Pelt", "Steifer Balg")]
COGS = [("Bent Cog", "Verbogenes Zahnrad"), ("Greased Spring", "Gefettete Feder")]

#: Growing and lying about: the object, and what it gives.
HERBS = [
    ("Candlewort", "Kerzenkraut"),
    ("Mirebell", "Moorglöckchen"),
    ("Sootleaf", "Rußblatt"),
    ("Nine-Day Fern", "Neuntagefarn"),
    ("Pale Clemency", "Bleiche Sanftmut"),
    ("Widow's Cap", "Witwenhäubchen"),
    ("Lanternroot", "Laternenwurzel"),
    ("Rimebloom", "Raureifblüte"),
]
ORES = [
    ("Bellmetal", "Glockenerz"),
    ("Greenglass", "Grünglas"),
    ("Ashsilver", "Aschsilber"),
    ("Weeping Iron", "Träneneisen"),
    ("Honeycopper", "Honigkupfer"),
]
CHESTS = [
    ("Salt-Crusted Coffer", "Salzverkrustete Schatulle"),
    ("Crate #3", "Kiste #3"),
    ("Smuggler's Keg", "Schmugglerfässchen"),
    ("Dented Cashbox", "Verbeulte Geldkassette"),
    ("Locker #12", "Spind #12"),
]
FISH = [
    ("Mudlark Perch", "Schlickbarsch"),
    ("Lantern Eel", "Laternenaal"),
    ("Whiskered Tench", "Bärtige Schleie"),
    ("Glassfin", "Glasflosser"),
    ("Old Boot Leather", "Altes Stiefelleder"),
    ("Bell Carp", "Glockenkarpfen"),
]
CONTAINERS = [("Barnacled Shell", "Bewachsene Muschel"), ("Sealed Letter Case", "Versiegelte Briefmappe")]
DUSTS = [("Grey Glimmer", "Grauer Glimmer"), ("Bright Glimmer", "Heller Glimmer")]
GEMS = [("Clouded Bead", "Trübe Perle"), ("Fox-Eye", "Fuchsauge"), ("Tearstone", "Tränenstein")]
PIGMENTS = [("Oak Gall Pigment", "Eichengallenpigment"), ("Lichen Pigment", "Flechtenpigment")]

PLAYER_STARTS = [
    "Tal",
    "Bro",
    "Kes",
    "Mir",
    "Öl",
    "Jas",
    "Rud",
    "Fen",
    "Ysk",
    "Dar",
    "Quil",
    "Sel",
    "Wob",
    "Hin",
    "Pet",
    "Ulf",
    "Nör",
    "Gra",
    "Vim",
    "Zau",
]
PLAYER_ENDS = [
    "wen",
    "dric",
    "tara",
    "lo",
    "mund",
    "bix",
    "süß",
    "nella",
    "gorn",
    "fi",
    "wyn",
    "kar",
    "rike",
    "dotz",
    "ula",
    "pim",
    "storf",
    "een",
    "jo",
    "baldo",
]
