-- Tell whether a document may be older than the tables. Reads: recounted, stale_document.
SELECT EXISTS (SELECT FROM recounted)
    OR EXISTS (SELECT FROM stale_document WHERE kind = %(kind)s AND number = %(number)s);
