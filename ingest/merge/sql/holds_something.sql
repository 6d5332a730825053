-- Tell whether a set holds staged uploads (identifiers: its schema).
SELECT EXISTS (SELECT FROM {0}.staged_upload)
