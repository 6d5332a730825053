"""An invented world, the uploads of its players, and the truth to compare results with.

Pure except for `__main__`: values in, values out; no clock, no settings, no tables. It imports nothing of the apps, so
that tests may compare the apps with it; `core.progress` shows the command's progress. In the order of the data:

    words.py      the words that names are made of, English and German
    names.py      names of creatures, objects and items, and the addon's escapes
    landscape.py  outlines of zones, with camps and patrols inside
    loot.py       loot tables: items with their drop rates
    world.py      the world: zones, creatures, objects, items
    encounters.py meetings of players with spawns
    gathering.py  lootings other than of kills
    players.py    a player's weeks: what they saw, killed and gathered, and where
    records.py    records that are not merged: merchants, trainers, quest comments and others
    writer.py     a player's weeks as a document of the addon
    uploads.py    any number of uploads
    truth.py      what a perfect map of the world would show
    __main__.py   the command: writes uploads and truth into a folder
"""
