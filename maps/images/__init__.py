"""Images of zones: backgrounds that an admin imports, and contours and previews drawn from the merged data."""
