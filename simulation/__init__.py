"""An invented world and the uploads its players send, with the truth beside them.

Pure: values in, values out; no clock, no settings, no tables. In the order of the data:

    words.py      the words that names are made of, English and German
    names.py      names of creatures, objects and items, and how the addon escapes them
    landscape.py  outlines of zones, camps and patrols inside them
    loot.py       what drops from what, and how often
    world.py      all of it together: zones, creatures, objects, items
    players.py    one player's weeks: what was seen, killed and gathered, and where
    records.py    records that are kept but not merged: merchants, trainers, quest comments …
    writer.py     a player's weeks as the addon writes them
    uploads.py    any number of uploads, one after the other
    truth.py      what a perfect map of the world would say
"""
